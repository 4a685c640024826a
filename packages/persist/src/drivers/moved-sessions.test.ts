import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import { faultyIndexedDB } from '@vitrine/testing/internal/faulty-indexed-db.fixture';
import { faultyStorage } from '@vitrine/testing/internal/faulty-storage.fixture';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { browserSessions } from './browser-sessions.ts';
import { indexedDBSessions } from './indexed-db/indexed-db-rows.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { localStorageSessions } from './local-storage/local-storage-rows.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  vi.stubGlobal('localStorage', faultyStorage().storage);
});
afterEach(() => vi.unstubAllGlobals());

async function talk(store: SessionStore, sessionId: string, said: string): Promise<void> {
  const agent = scriptedAgent([{ text: `Answer to ${said}` }]);
  const session = createAgentSession({ agent, sessions: store, sessionId });
  await session.sendMessage(said);
  await session.dispose();
}

/** The messages of all sessions in a store, by the ids of the sessions. */
async function saidIn(store: SessionStore): Promise<Readonly<Record<string, readonly string[]>>> {
  const { sessions } = await store.list();
  const entries = sessions.map(async ({ id }) => {
    const record = loadedSession(await store.load(id));
    return [id, record === null ? [] : messages(liveRecord(record).state).map(text)] as const;
  });
  return Object.fromEntries((await Promise.all(entries)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const inIndexedDB = (): SessionStore => indexedDBSessions({ name: 'vitrine' });
const inLocalStorage = (): SessionStore => localStorageSessions({ prefix: 'vitrine' });
const both = (said: string): readonly string[] => [said, `Answer to ${said}`];

/** Every way in which opening a database fails. */
const failures: readonly (readonly [string, () => IDBOpenDBRequest])[] = [
  ...['UnknownError', 'VersionError', 'QuotaExceededError', 'AbortError'].map(
    (name) => [name, () => failing(new DOMException(`It failed with ${name}`, name))] as const,
  ),
  [
    'SecurityError',
    () => {
      throw new DOMException('It is blocked', 'SecurityError');
    },
  ],
];

function failing(error: DOMException): IDBOpenDBRequest {
  const request = new EventTarget() as IDBOpenDBRequest;
  Object.assign(request, { error, readyState: 'done' });
  setTimeout(() => request.dispatchEvent(new Event('error')));
  return request;
}

describe('a database that cannot be opened once', () => {
  it.each(failures)(
    'a database with %s is reported as unknown, and no other storage is used',
    async (_name, fail) => {
      await talk(browserSessions(), 'a', 'Before');
      const working = indexedDB;
      let isFailing = true;
      vi.stubGlobal('indexedDB', {
        open: (...args: Parameters<IDBFactory['open']>) => (isFailing ? fail() : working.open(...args)),
      });
      const store = browserSessions();
      const found = await store.load('a');
      expect(found).toMatchObject({ kind: 'unknown', error: { code: 'session-storage' } });
      await expect(store.list()).rejects.toMatchObject({ code: 'session-storage' });
      expect([store.durability, store.warning ?? null, localStorage.length]).toEqual([
        'process-crash',
        null,
        0,
      ]);
      isFailing = false;
      expect(await saidIn(store)).toEqual({ a: both('Before') });
    },
  );
});

describe('sessions that an earlier visit left in localStorage', () => {
  it('sessions in localStorage move to IndexedDB, and one in both becomes a fork', async () => {
    await talk(inIndexedDB(), 'shared', 'Old');
    await talk(inLocalStorage(), 'shared', 'New');
    await talk(inLocalStorage(), 'alone', 'Alone');
    await inLocalStorage().outbox.put('alone', { id: 'waits' });
    const store = browserSessions();
    const said = await saidIn(store);
    const forkId = Object.keys(said).find((id) => id.startsWith('shared-')) ?? '';
    expect(said).toEqual({ alone: both('Alone'), shared: both('Old'), [forkId]: both('New') });
    expect(loadedSession(await store.load(forkId))?.parentId).toBe('shared');
    expect(await store.outbox.take('alone')).toEqual([{ id: 'waits' }]);
    expect((await inLocalStorage().list()).sessions).toEqual([]);
    expect(await saidIn(browserSessions())).toEqual(said);
  });

  it('sessions in localStorage move exactly once, wherever the page dies meanwhile', async () => {
    vi.unstubAllGlobals();
    const { factory, injectedErrors, restore } = faultyIndexedDB();
    const { storage, injectedErrors: local } = faultyStorage();
    vi.stubGlobal('indexedDB', factory);
    vi.stubGlobal('localStorage', storage);
    try {
      for (let at = 1; at <= 40; at++) {
        const id = `s${at}`;
        await talk(inIndexedDB(), id, 'Old');
        await talk(inLocalStorage(), id, 'New');
        await talk(inLocalStorage(), `alone-${at}`, 'Alone');
        if (at % 2 === 0) injectedErrors.failAt(at / 2);
        else local.failAt((at + 1) / 2);
        await browserSessions()
          .list()
          .catch(() => undefined);
        injectedErrors.failAt(null);
        local.failAt(null);
        const store = browserSessions();
        const said = await saidIn(store);
        const ids = Object.keys(said).filter((found) => found.startsWith(`${id}-`) || found === id);
        expect(ids.map((found) => said[found])).toEqual([both('Old'), both('New')]);
        expect(said[`alone-${at}`]).toEqual(both('Alone'));
        expect((await inLocalStorage().list()).sessions).toEqual([]);
      }
    } finally {
      restore();
    }
  });

  it('a moved session does not become a fork when it continued since', async () => {
    await talk(inLocalStorage(), 'a', 'First');
    const left = loadedSession(await inLocalStorage().load('a'))!;
    await talk(browserSessions(), 'a', 'Second');
    // As if the page had died before it removed the moved session.
    localStorage.clear();
    await inLocalStorage().save(left, { expectedVersion: 0 });
    const said = await saidIn(browserSessions());
    expect(said).toEqual({ a: [...both('First'), ...both('Second')] });
  });

  it('a session that cannot be read stays in localStorage, and the others still move', async () => {
    await talk(inLocalStorage(), 'broken', 'Lost');
    await talk(inLocalStorage(), 'whole', 'Kept');
    localStorage.setItem('vitrine:session:broken', 'something else');
    expect(await saidIn(browserSessions())).toEqual({ whole: both('Kept') });
    expect(localStorage.getItem('vitrine:session:broken')).toBe('something else');
  });
});
