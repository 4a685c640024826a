import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it } from 'vitest';
import { heldTool, fakeStorage } from '@vitrine/testing/internal/session.fixture';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { exportSession } from '../manage/export-session.ts';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

/** A store, and a function that evicts it as a browser does when it needs space. */
type Place = { readonly store: SessionStore; readonly evict: () => Promise<void> };
const places: readonly (readonly [string, () => Place])[] = [
  [
    'localStorage',
    () => {
      const storage = fakeStorage();
      return { store: localStorageSessions({ storage }), evict: async () => storage.items.clear() };
    },
  ],
  ['IndexedDB', () => ({ store: indexedDBSessions(), evict: emptyDatabase })],
];

async function emptyDatabase(): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('vitrine');
    request.onsuccess = () => resolve(request.result);
  });
  const tables = [...database.objectStoreNames];
  const transaction = database.transaction(tables, 'readwrite');
  for (const table of tables) transaction.objectStore(table).clear();
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
}

async function storedTexts(store: SessionStore): Promise<readonly string[]> {
  const record = loadedSession(await store.load('a'));
  return record === null ? [] : messages(liveRecord(record).state).map(text);
}

function open(store: SessionStore, steps: Parameters<typeof scriptedAgent>[0]): AgentSession {
  return createAgentSession({ agent: scriptedAgent(steps), sessions: store, sessionId: 'a' });
}

describe.each(places)('storage evicted in %s', (_name, place) => {
  it('an evicted fork that is saved anew keeps its parent and the time of its creation', async () => {
    const { store, evict } = place();
    const parent = open(store, [{ text: 'one' }]);
    await parent.sendMessage('First');
    const forkId = await parent.fork();
    await parent.dispose();
    const agent = scriptedAgent([{ text: 'two' }]);
    const fork = createAgentSession({ agent, sessions: store, sessionId: forkId });
    await fork.ready;
    const originOf = async (): Promise<unknown> => {
      const record = loadedSession(await store.load(forkId));
      return record && [record.parentId, record.createdAt];
    };
    const before = await originOf();
    expect(before).toEqual(['a', expect.any(Number)]);
    await evict();
    await fork.sendMessage('Second');
    expect(await fork.flush()).toEqual({ stored: true });
    expect(await originOf()).toEqual(before);
    await fork.dispose();
  });

  it('an evicted session is saved anew with all its messages and is not reported as deleted', async () => {
    const { store, evict } = place();
    const session = open(store, [{ text: 'one' }, { text: 'two' }]);
    await session.sendMessage('First');
    await session.rename('Mine');
    await session.flush();
    await evict();
    const turn = await session.sendMessage('Second');
    await session.flush();
    expect([turn.status, turn.outcome, session.store.getState().status]).toEqual([
      'done',
      'completed',
      'ready',
    ]);
    expect(await storedTexts(store)).toEqual(['First', 'one', 'Second', 'two']);
    expect(loadedSession(await store.load('a'))?.title).toBe('Mine');
    expect(await exportSession(store, 'a')).toMatchObject({ title: 'Mine' });
    expect(session.store.getState().persistence.status).toBe('saved');
    await session.dispose();
  });

  it('an evicted session continues its active run', async () => {
    const { store, evict } = place();
    const slow = heldTool('slow');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: 1 }] }, { text: 'done' }], {
      tools: [slow.tool],
    });
    const session = createAgentSession({ agent, sessions: store, sessionId: 'a' });
    const sent = session.sendMessage('Go');
    await expect.poll(() => slow.runs.length).toBe(1);
    await session.flush();
    await evict();
    slow.end();
    expect((await sent).outcome).toBe('completed');
    await session.flush();
    expect((await storedTexts(store)).at(-1)).toBe('done');
    await session.dispose();
  });

  it('a session that a person deletes counts as deleted, evicted or not', async () => {
    const { store, evict } = place();
    const session = open(store, [{ text: 'one' }, { text: 'two' }]);
    await session.sendMessage('First');
    await session.flush();
    await store.remove('a');
    const turn = await session.sendMessage('Second');
    await session.flush();
    expect([turn.status, turn.error?.code]).toEqual(['refused', 'session-deleted']);
    expect(await storedTexts(store)).toEqual([]);
    await session.dispose();
    await evict();
    expect(await store.load('a')).toEqual({ kind: 'absent', removedAt: null, epoch: 0 });
  });
});
