import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messages } from '../../graph/agent-state/accessors.ts';
import { text } from '../../graph/message.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';
import type { AgentSession } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { indexedDBSessions } from '../stores/indexed-db/indexed-db-rows.ts';
import { liveRecord } from '../stores/live-record.ts';
import { loadedSession } from '../stores/loaded-session.ts';
import { memorySessions } from '../stores/memory/memory-sessions.ts';
import type { SessionStore } from '../stores/session-store.ts';

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
