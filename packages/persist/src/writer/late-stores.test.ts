import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { keptOpen } from '../drivers/indexed-db/kept-open.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const open = (sessions: SessionStore, said = 'later'): AgentSession =>
  createAgentSession({
    agent: scriptedAgent([{ text: `Answer to ${said}` }]),
    sessions,
    sessionId: 'a',
    publish: 'immediate',
  });
const shown = (session: AgentSession): readonly string[] =>
  messages(session.store.getState().state).map(text);
const persistenceOf = (session: AgentSession): unknown => session.store.getState().persistence;

/** A store with one chat in it. */
async function withChat(): Promise<SessionStore> {
  const store = memorySessions();
  const before = open(store, 'First');
  await before.sendMessage('First');
  await before.dispose();
  return store;
}

async function storedTexts(store: SessionStore): Promise<readonly string[]> {
  const record = loadedSession(await store.load('a'));
  return record === null ? [] : messages(liveRecord(record).state).map(text);
}

describe('a store that does not answer for 10 seconds', () => {
  it('a store that is silent for 10 seconds is reported, and the session continues with its late answer', async () => {
    const store = await withChat();
    let answer = (): void => undefined;
    const answering = new Promise<void>((resolve) => (answer = resolve));
    const slow: SessionStore = {
      ...store,
      load: async (id) => {
        await answering;
        return store.load(id);
      },
    };
    const session = open(slow, 'Second');
    void session.ready;
    const sent = session.sendMessage('Second');
    await vi.advanceTimersByTimeAsync(9000);
    expect(persistenceOf(session)).toMatchObject({ status: 'idle' });
    await vi.advanceTimersByTimeAsync(2000);
    expect(persistenceOf(session)).toMatchObject({
      status: 'unknown',
      error: { code: 'session-storage', message: expect.stringContaining('10 s') },
    });
    answer();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await sent).outcome).toBe('completed');
    expect(shown(session)).toEqual(['First', 'Answer to First', 'Second', 'Answer to Second']);
    await session.flush();
    expect(persistenceOf(session)).toMatchObject({ status: 'saved', error: null });
    await session.dispose();
  });
});

const operations = ['load', 'save', 'append', 'takeEpoch'] as const;

/** A store that stops answering at a use of an operation, and answers again, or never. What it was asked happens late. */
function silencedAt(
  store: SessionStore,
  operation: (typeof operations)[number],
  use: number,
): { readonly sessions: SessionStore; readonly answer: () => void } {
  let answer = (): void => undefined;
  const answering = new Promise<void>((resolve) => (answer = resolve));
  let uses = 0;
  let isSilent = false;
  const late =
    <Args extends readonly unknown[], Value>(name: string, call: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      isSilent ||= name === operation && ++uses === use;
      if (isSilent) await answering;
      return call(...args);
    };
  const sessions = {
    ...store,
    load: late('load', store.load),
    save: late('save', store.save),
    append: late('append', store.append),
    takeEpoch: late('takeEpoch', store.takeEpoch),
  };
  return { sessions, answer: () => ((isSilent = false), answer()) };
}

describe('a store that does not answer a write', () => {
  const cases = operations.flatMap((operation) => [2, 3].map((use) => [operation, use] as const));
  it.each(cases)(
    'a session settles its turn and its disposal when the store is silent from %s number %i on, and keeps nothing twice',
    async (operation, use) => {
      const store = await withChat();
      const { sessions, answer } = silencedAt(store, operation, use);
      const session = open(sessions, 'Second');
      await session.ready;
      const turns = [session.sendMessage('Second'), session.sendMessage('Third')];
      await vi.advanceTimersByTimeAsync(25_000);
      expect((await Promise.all(turns)).map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
      const flushed = session.flush();
      await vi.advanceTimersByTimeAsync(11_000);
      const { stored } = await flushed;
      expect(persistenceOf(session)).toMatchObject({ status: stored ? 'saved' : 'degraded' });
      answer();
      await vi.advanceTimersByTimeAsync(60_000);
      const disposed = session.dispose();
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await disposed).toEqual({ stored: true });
      expect((await storedTexts(store)).filter((said) => !said.startsWith('Answer'))).toEqual([
        'First',
        'Second',
        'Third',
      ]);
      expect((await store.list()).sessions).toHaveLength(1);
    },
  );

  it('a session over a store that never answers again tells it and can be disposed', async () => {
    const { sessions } = silencedAt(await withChat(), 'save', 1);
    const { sessions: silent } = silencedAt(sessions, 'append', 1);
    const session = open(silent, 'Second');
    await session.ready;
    const sent = session.sendMessage('Second');
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await sent).toMatchObject({ outcome: 'completed', stored: false });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(persistenceOf(session)).toMatchObject({
      status: 'degraded',
      error: { code: 'session-storage', message: expect.stringContaining('10 s') },
    });
    const disposed = session.dispose();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await disposed).toEqual({ stored: false });
  });
});

describe('a store whose first reads fail', () => {
  /** A store whose first `reads` reads fail. */
  const failing = (store: SessionStore, reads: number): SessionStore => {
    let left = reads;
    const error = new AgentError('session-storage', 'The disk is asleep.');
    return {
      ...store,
      load: async (id) => (left-- > 0 ? { kind: 'unknown', error } : store.load(id)),
      save: async (...written) => {
        if (left > 0) throw error;
        return store.save(...written);
      },
    };
  };

  it.each([1, 3])('a session is shown after %i failed reads when no other one has begun', async (reads) => {
    const session = open(failing(await withChat(), reads));
    await session.ready;
    expect(persistenceOf(session)).toMatchObject({
      status: 'degraded',
      error: { code: 'session-storage' },
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(shown(session)).toEqual(['First', 'Answer to First']);
    expect(persistenceOf(session)).toMatchObject({ status: 'saved', error: null });
    await session.dispose();
  });

  it('a session keeps new messages and the stored session when the store answers late', async () => {
    const store = await withChat();
    const session = open(failing(store, 2), 'Second');
    await session.ready;
    const sent = session.sendMessage('Second');
    await vi.advanceTimersByTimeAsync(60_000);
    await sent;
    await session.flush();
    await vi.advanceTimersByTimeAsync(60_000);
    const { sessions } = await store.list();
    const said = await Promise.all(
      sessions.map(async ({ id }) => {
        const record = loadedSession(await store.load(id));
        return record === null ? [] : messages(liveRecord(record).state).map(text);
      }),
    );
    expect((await storedTexts(store)).slice(0, 2)).toEqual(['First', 'Answer to First']);
    expect(said.flat()).toContain('Second');
    await session.dispose();
  });

  it('a disposed session stops reading its store', async () => {
    const load = vi.fn(async () => ({
      kind: 'unknown' as const,
      error: new AgentError('session-storage', 'The disk is asleep.'),
    }));
    const session = open({ ...memorySessions(), load });
    await session.ready;
    await session.dispose();
    const { length } = load.mock.calls;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(load.mock.calls.length).toBe(length);
  });
});

const refused = (): never => {
  throw new DOMException('Connection to Indexed Database server lost. Refresh the page', 'UnknownError');
};
const losses = [
  ['transactions', refused, null],
  ['requests', null, refused],
] as const;

it.each(losses)(
  'a session goes on in IndexedDB when its connection is lost without an event and refuses %s',
  async (_what, onTransaction, onRequest) => {
    vi.stubGlobal('indexedDB', new IDBFactory());
    const lost = new WeakSet<IDBDatabase>();
    const all = new Set<IDBDatabase>();
    const begin = IDBDatabase.prototype.transaction;
    const methods = ['get', 'getAll', 'put', 'add', 'count', 'delete'] as const;
    const { prototype } = IDBObjectStore;
    const originals = methods.map((name) => [name, prototype[name]] as const);
    IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
      all.add(this);
      if (onTransaction !== null && lost.has(this)) onTransaction();
      return begin.apply(this, args);
    };
    for (const [name, original] of originals)
      Object.assign(prototype, {
        [name](this: IDBObjectStore, ...args: unknown[]) {
          if (onRequest !== null && lost.has(this.transaction.db)) return onRequest();
          return Reflect.apply(original, this, args) as unknown;
        },
      });
    try {
      const session = open(indexedDBSessions(), 'it');
      await session.sendMessage('First');
      await session.flush();
      all.forEach((database) => lost.add(database));
      const sent = session.sendMessage('Second');
      for (let second = 0; second < 40; second++) {
        await vi.advanceTimersByTimeAsync(1000);
        // The database answers in turns of the event loop, whatever the time.
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await sent).outcome).toBe('completed');
      expect(persistenceOf(session)).toMatchObject({ status: 'saved', error: null });
      expect(await session.flush()).toEqual({ stored: true });
      expect(await storedTexts(indexedDBSessions())).toEqual([
        'First',
        'Answer to it',
        'Second',
        'Answer to it',
      ]);
      await session.dispose();
    } finally {
      IDBDatabase.prototype.transaction = begin;
      Object.assign(prototype, Object.fromEntries(originals));
    }
  },
);

it('a database that does not answer for 10 s is opened again, and only what reads is begun again', async () => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  const database = keptOpen('silent', async () => undefined);
  const begun: unknown[] = [];
  const ask = (mode: IDBTransactionMode): Promise<boolean> =>
    database.use(
      (opened) => {
        const isFirst = !begun.includes(opened);
        begun.push(opened);
        return { mode, isFirst };
      },
      ({ isFirst }) => (isFirst ? new Promise<boolean>(() => undefined) : Promise.resolve(true)),
    );
  const written = ask('readwrite').catch((thrown: DOMException) => thrown.name);
  await vi.waitUntil(() => begun.length === 1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await written).toBe('TimeoutError');
  const read = ask('readonly').catch((thrown: DOMException) => thrown.name);
  await vi.waitUntil(() => begun.length === 2);
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitUntil(() => begun.length === 3);
  expect(new Set(begun).size).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await read).toBe('TimeoutError');
});

it('a database that another tab keeps at an older version reports this and opens once that tab lets go', async () => {
  vi.useRealTimers();
  vi.stubGlobal('indexedDB', new IDBFactory());
  const older = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('vitrine', 1);
    request.onsuccess = () => resolve(request.result);
  });
  const store = indexedDBSessions();
  for (let at = 0; at < 2; at++)
    expect(await store.load('a')).toMatchObject({
      kind: 'unknown',
      error: { code: 'session-storage', message: expect.stringContaining('another tab') },
    });
  older.close();
  await expect.poll(async () => (await store.load('a')).kind).toBe('absent');
});
