import {
  AgentState,
  browserSessions,
  indexedDBSessions,
  localStorageSessions,
  type SessionRecord,
  type SessionStore,
} from '@vitrine/core';
import {
  type MakeStore,
  type RawTexts,
  type StoreCheck,
  type StoreSuiteOptions,
  testSessionStore,
} from '@vitrine/core/testing';

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

/** What became of each law: null, or the error. */
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

/** A session with nothing in it. */
function blank(id: string): SessionRecord {
  return {
    id,
    version: 0,
    title: '',
    agentName: 'agent',
    parentId: null,
    createdAt: 1,
    updatedAt: 1,
    status: 'active',
    executionStatus: null,
    queue: [],
    draft: '',
    state: AgentState.create(),
    journal: { id: 'journal', records: 0, tail: [] },
    branches: [],
    checkpoints: [],
  };
}

declare global {
  var laws: {
    readonly tryLaws: typeof tryLaws;
    readonly blank: typeof blank;
    readonly open: Readonly<Record<string, (name: string) => SessionStore>>;
  };
  /** A store that a test keeps between its steps. */
  var kept: SessionStore | undefined;
}
globalThis.laws = {
  tryLaws,
  blank,
  open: {
    localStorage: (prefix) => localStorageSessions({ prefix }),
    indexedDB: (name) => indexedDBSessions({ name }),
    browser: (name) => browserSessions({ name }),
  },
};
document.documentElement.dataset['ready'] = '';
