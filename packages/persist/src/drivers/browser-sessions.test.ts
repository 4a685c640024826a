import 'fake-indexeddb/auto';
import { expect, it, vi } from 'vitest';
import { fixedEnv } from '@vitrine/testing/internal/fixtures';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { sampleSession } from '@vitrine/testing/internal/store-suite/sample-session';

it.each(['../rows/row-engine.ts', 'idb'])(
  'browserSessions keeps to IndexedDB and its listeners when %s first fails to load',
  async (module) => {
    vi.doMock(module, () => {
      throw new Error('offline');
    });
    vi.resetModules();
    const { browserSessions } = await import('./browser-sessions.ts');
    const store = browserSessions({ name: module });
    const heard: unknown[] = [];
    const end = store.subscribe((id) => heard.push(id));
    expect(await store.load('a')).toMatchObject({ kind: 'unknown', error: { code: 'session-storage' } });
    vi.doUnmock(module);
    vi.resetModules();
    const { record } = await sampleSession('a', 1, fixedEnv());
    await store.save(record, { expectedVersion: 0 });
    expect([store.durability, store.warning, heard]).toEqual(['process-crash', null, ['a']]);
    end();
    await store.remove('a');
    expect(heard).toEqual(['a']);
  },
);

it('browserSessions uses a storage in which one session cannot be read', async () => {
  const { browserSessions } = await import('./browser-sessions.ts');
  const { openDB } = await import('idb');
  const before = browserSessions({ name: 'damaged' });
  await before.load('a');
  const database = await openDB('damaged');
  await database.put('heads', 'junk', 'probe');
  database.close();
  const store = browserSessions({ name: 'damaged' });
  expect(loadedSession(await store.load('a'))).toBeNull();
  expect(store.durability).toBe('process-crash');
});
