import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fakeStorage, heldTool } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { clearSessions, deleteSession } from './change-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';

type Place = { readonly store: SessionStore; readonly dump: () => Promise<string> };
const canary = 'canary-of-the-last-person';

const places: readonly (readonly [string, () => Place])[] = [
  [
    'memory',
    () => {
      const store = memorySessions();
      return {
        store,
        dump: async () => JSON.stringify([await store.list(), loadedSession(await store.load('open'))]),
      };
    },
  ],
  [
    'localStorage',
    () => {
      const storage = fakeStorage();
      const dump = async (): Promise<string> => JSON.stringify([...storage.items]);
      return { store: localStorageSessions({ storage }), dump };
    },
  ],
  ['IndexedDB', () => ({ store: indexedDBSessions(), dump: dumpOfIndexedDB })],
];

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

async function dumpOfIndexedDB(): Promise<string> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('vitrine');
    request.onsuccess = () => resolve(request.result);
  });
  const tables = [...database.objectStoreNames].map(
    (name) =>
      new Promise((resolve) => {
        const request = database.transaction(name).objectStore(name).getAll();
        request.onsuccess = () => resolve([name, request.result]);
      }),
  );
  const rows = await Promise.all(tables);
  database.close();
  return JSON.stringify(rows, (_key, value: unknown) =>
    value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value,
  );
}

async function talk(store: SessionStore, sessionId: string): Promise<void> {
  const session = createAgentSession({
    agent: scriptedAgent([{ text: canary }]),
    sessions: store,
    sessionId,
  });
  const bytes = new TextEncoder().encode(`${canary} ${'x'.repeat(100)}`);
  const files = [{ type: 'file' as const, mediaType: 'text/plain', filename: null, data: btoa(canary) }];
  await session.sendMessage({ text: canary, files });
  await store.blobs?.put(bytes, { mediaType: 'text/plain', sessionId });
  await session.flush();
  await session.dispose();
}

describe.each(places)('the sessions of the last user in %s', (_name, place) => {
  it('clearSessions erases kept, deleted and open sessions, and none of them returns', async () => {
    const { store, dump } = place();
    await talk(store, 'kept');
    await talk(store, 'deleted');
    await deleteSession(store, 'deleted');
    const slow = heldTool('slow');
    const steps = [{ toolCalls: [{ name: 'slow', input: 1 }] }, { text: canary }];
    const open = (): AgentSession =>
      createAgentSession({
        agent: scriptedAgent(steps, { tools: [slow.tool] }),
        sessions: store,
        sessionId: 'open',
      });
    // Where tabs know of each other, also one that was open before anything was stored.
    const [first, ...early] = [open(), ...(store.tabs ? [open()] : [])] as [AgentSession];
    await Promise.all([first, ...early].map(({ ready }) => ready));
    const turn = first.sendMessage(canary);
    await vi.waitFor(() => expect(slow.runs).toHaveLength(1));
    await first.flush();
    const views = [first, ...early, open()];
    await Promise.all(views.map(({ ready }) => ready));
    expect(await dump()).toContain(canary);

    await clearSessions(store);
    expect(await dump()).not.toContain(canary);
    expect((await turn).status).not.toBe('pending');
    await vi.waitFor(() =>
      expect(new Set(views.map(({ store: shown }) => shown.getState().status))).toEqual(new Set(['deleted'])),
    );
    for (const view of views) {
      view.setDraft(canary);
      await view.sendMessage(canary);
      await view.flush().catch(() => undefined);
      await view.dispose();
    }
    expect(await dump()).not.toContain(canary);
    expect(await dump()).not.toContain(btoa(canary));
  });
});

it('clearSessions erases unreadable sessions too', async () => {
  const storage = fakeStorage();
  const store = localStorageSessions({ storage });
  await talk(store, 'damaged');
  for (const [key, text] of storage.items) storage.items.set(key, text.slice(0, -3));
  const again = localStorageSessions({ storage });
  expect((await again.list()).sessions.map(({ status }) => status)).toEqual(['broken']);
  await clearSessions(again);
  expect([...storage.items.keys()]).toEqual(['vitrine:session:damaged']);
  expect(JSON.stringify([...storage.items])).not.toContain(canary);
});
