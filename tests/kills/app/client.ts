import {
  AgentState,
  createAgentSession,
  fold,
  Message,
  type SessionRecord,
  type SessionStore,
  loadedSession,
} from '@vitrine/core';
import { indexedDBSessions, localStorageSessions } from '@vitrine/persist';
import { scriptedAgent, talkingAgent } from './script.ts';

// A page that tells its test of every write of its store, so that the test may kill the browser there.

/** Tells the test, and goes on when that says so: never, where the browser is to die there. */
async function tell(path: string, body: unknown = null): Promise<void> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  await response.text();
}

const stores: Readonly<Record<string, () => SessionStore>> = {
  indexedDB: () => indexedDBSessions({ name: 'kills' }),
  localStorage: () => localStorageSessions({ prefix: 'kills' }),
};

/** A store that stops at each point of each write, or only tells of it: before it begins, when it has begun, and when it is done. */
function told(store: SessionStore, key: string, isStopping = true): SessionStore {
  let writes = 0;
  const report = isStopping ? tell : async (path: string): Promise<void> => void tell(path);
  async function write(what: string, work: () => Promise<number>): Promise<number> {
    const number = ++writes;
    const point = (phase: string): string =>
      `/point?session=${key}&point=${number}.${phase}&what=${encodeURIComponent(what)}`;
    await report(point('before'));
    const writing = work();
    writing.catch(() => undefined);
    await report(point('begun'));
    const version = await writing;
    await report(point('done'), isStopping ? settledIds(loadedSession(await store.load(key))) : null);
    return version;
  }
  const { append } = store;
  return {
    ...store,
    save: (record, options) => write('save', () => store.save(record, options)),
    ...(append && {
      append: (id, given) => write(whatOf(given.events), () => append(id, given)),
    }),
  };
}

/** The writes that the log names. */
const named = /^(tool|approval|subagent|step|execution)-(start|end|request|answer)$|^text-delta$/;

function whatOf(events: readonly { readonly type: string }[]): string {
  const names = events.map(({ type }) => type).filter((type) => named.test(type));
  return [...new Set(names)].join(' ') || 'head';
}

/** The durable content: every message except the text of an answer in flight. */
function settledIds(record: SessionRecord | null): readonly string[] {
  if (record === null) return [];
  const { messages, execution } = viewed(record);
  const open = new Set((execution?.currentStep?.outputMessages ?? []).map(({ id }) => id));
  return messages.filter(({ id }) => !open.has(id)).map(({ id }) => id);
}

function viewed(record: SessionRecord) {
  const state = fold(record.state, record.journal.tail);
  return { messages: AgentState.messages(state), execution: state.execution };
}

/** The final content of a session, without values that differ between runs. */
type Spoken = { readonly id: string; readonly content: string; readonly interrupted: readonly string[] };

function spoken(message: Message): Spoken {
  const interrupted: string[] = [];
  const parts = message.parts.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'tool-call') return `calls ${part.toolName} ${JSON.stringify(part.input)}`;
    if (part.type !== 'tool-result') return part.type;
    if (part.outcome === 'interrupted') interrupted.push(part.toolCallId);
    return `${part.toolName} answers ${part.outcome === 'interrupted' ? '…' : JSON.stringify(part.output)}`;
  });
  return { id: message.id, content: `${message.role}: ${parts.join(' | ')}`, interrupted };
}

/** Begins the scripted run, or goes on with it, and gives what it came to. */
async function play(kind: string, key: string): Promise<readonly Spoken[]> {
  const agent = scriptedAgent((words) => tell(`/effect?session=${key}&words=${words}`));
  const sessions = told(stores[kind]!(), key);
  const session = createAgentSession({ agent, sessions, sessionId: key, resume: true, publish: 'immediate' });
  await session.ready;
  const { state } = session.store.getState();
  if (!AgentState.messages(state).some(({ role }) => role === 'user'))
    void session.sendMessage('Do all of it');
  await new Promise<void>((resolve) => {
    const look = (): void => {
      const now = session.store.getState();
      for (const { id } of AgentState.pendingApprovals(now.state)) void session.approve(id);
      if (now.status === 'ready' && AgentState.status(now.state) === 'completed') resolve();
    };
    session.store.subscribe(look);
    look();
  });
  await session.flush();
  const record = loadedSession(await stores[kind]!().load(key));
  return record === null ? [] : viewed(record).messages.map(spoken);
}

/** Talks until the browser dies; the test hears of each word as it is said. */
async function talk(kind: string, key: string, everyMs: number): Promise<void> {
  const agent = talkingAgent(everyMs, (word) => void tell(`/said?session=${key}`, word));
  const sessions = told(stores[kind]!(), key, false);
  const session = createAgentSession({ agent, sessions, sessionId: key });
  await session.sendMessage('Talk');
}

/** The stored content of a session as texts, the answer in flight last; null when there is nothing. */
async function stored(kind: string, key: string): Promise<readonly string[] | null> {
  const record = loadedSession(await stores[kind]!().load(key));
  if (record === null) return null;
  const { messages, execution } = viewed(record);
  return [...messages, ...(execution?.currentStep?.outputMessages ?? [])].map(Message.text);
}

declare global {
  var kills: { readonly play: typeof play; readonly talk: typeof talk; readonly stored: typeof stored };
}
globalThis.kills = { play, talk, stored };
document.documentElement.dataset['ready'] = '';
