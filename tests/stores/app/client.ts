import {
  AgentState,
  type AgentSession as Session,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  Message,
  loadedSession,
  type SessionStore,
} from '@vitrine/core';
import { browserSessions, indexedDBSessions, localStorageSessions } from '@vitrine/persist';
import {
  blankSession,
  type MakeStore,
  type RawTexts,
  scriptedInference,
  type StoreCheck,
  type StoreSuiteOptions,
  testSessionStore,
} from '@vitrine/testing';
import './busy-tabs.ts';

// Runs the laws of stores in a page, against what the browser really has.

let made = 0;

/** The page's own localStorage: real keys, real locks. */
const inLocalStorage: MakeStore = () => {
  localStorage.clear();
  const prefix = `laws-${++made}`;
  const open = (): SessionStore => localStorageSessions({ prefix });
  const raw: RawTexts = {
    keys: () => Object.keys(localStorage),
    get: (key) => localStorage.getItem(key),
    set: (key, text) => (text === null ? localStorage.removeItem(key) : localStorage.setItem(key, text)),
    head: (id) => `${prefix}:session:${id}`,
  };
  return { store: open(), reopen: open, raw };
};

const inIndexedDB: MakeStore = () => {
  const name = `laws-${++made}`;
  const open = (): SessionStore => indexedDBSessions({ name });
  return { store: open(), reopen: open, close: () => void indexedDB.deleteDatabase(name) };
};

const inBrowser: MakeStore = () => {
  const name = `laws-${++made}`;
  const open = (): SessionStore => browserSessions({ name });
  return { store: open(), reopen: open };
};

const makers: Readonly<Record<string, MakeStore>> = { inLocalStorage, inIndexedDB, inBrowser };

/** The result of each law: null, or the error. */
async function tryLaws(maker: string, options: StoreSuiteOptions): Promise<Record<string, string | null>> {
  const results: Record<string, string | null> = {};
  for (const { name, run } of testSessionStore(makers[maker] as MakeStore, options))
    results[name] = await outcome(run);
  return results;
}

async function outcome(run: StoreCheck['run']): Promise<string | null> {
  try {
    const { skipped } = await run();
    return skipped === null ? null : `skipped: ${skipped}`;
  } catch (thrown) {
    return String(thrown);
  }
}

/** A session in IndexedDB whose model says a word every 30 ms and ends when it is told to; it goes on after a reload. */
function openSession(tab: string): Session {
  const text = Array.from({ length: 500 }, (_, word) => `${tab}${word} `).join('');
  const script = scriptedInference([{ text, chunks: 500 }]);
  const inference: InferenceClient = {
    async *stream(request, options) {
      for await (const event of script.stream(request, options)) {
        if (event.type === 'text-delta' && globalThis.isEnough === true) continue;
        if (event.type === 'text-delta') await new Promise((resolve) => setTimeout(resolve, 30));
        yield event;
      }
    },
  };
  const agent = defineAgent({ name: 'agent', systemPrompt: '', inference });
  const sessions = indexedDBSessions({ name: 'tabs' });
  return createAgentSession({ agent, sessions, sessionId: 'a', resume: true });
}

/** The messages of a state, with the answer in flight. */
function texts(state: AgentState): string[] {
  const inFlight = state.execution?.currentStep?.outputMessages ?? [];
  return [...AgentState.messages(state), ...inFlight].map(Message.text);
}

declare global {
  var laws: {
    readonly tryLaws: typeof tryLaws;
    readonly blank: typeof blankSession;
    readonly openSession: typeof openSession;
    readonly texts: typeof texts;
    readonly loadedSession: typeof loadedSession;
    readonly open: Readonly<Record<string, (name: string) => SessionStore>>;
  };
  /** The model of this page ends its answer. */
  var isEnough: boolean | undefined;
  /** A session that a test keeps between its steps. */
  var session: Session | undefined;
  /** A store that a test keeps between its steps. */
  var kept: SessionStore | undefined;
}
globalThis.laws = {
  tryLaws,
  blank: blankSession,
  openSession,
  texts,
  loadedSession,
  open: {
    localStorage: (prefix) => localStorageSessions({ prefix }),
    indexedDB: (name) => indexedDBSessions({ name }),
    browser: (name) => browserSessions({ name }),
  },
};
document.documentElement.dataset['ready'] = '';
