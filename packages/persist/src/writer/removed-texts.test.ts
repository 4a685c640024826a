import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { faultyIndexedDB } from '@vitrine/testing/internal/faulty-indexed-db.fixture';
import { faultyStorage } from '@vitrine/testing/internal/faulty-storage.fixture';
import type { StoreUnderTest } from '@vitrine/testing/internal/store-suite/store-under-test';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { checkRemovals, removals } from './removed-texts.fixture.ts';

function inLocalStorage(): StoreUnderTest {
  const { storage, raw } = faultyStorage();
  return { store: localStorageSessions({ storage }), raw: raw('vitrine') };
}

let databases = 0;
function inIndexedDB(): StoreUnderTest {
  const { factory, raw, restore } = faultyIndexedDB();
  vi.stubGlobal('indexedDB', factory);
  const name = `removed-${++databases}`;
  return { store: indexedDBSessions({ name }), raw: raw(name), close: restore };
}

afterEach(() => vi.unstubAllGlobals());

describe.each<[string, () => StoreUnderTest, number]>([
  ['memory', () => ({ store: memorySessions() }), 60],
  ['localStorage', inLocalStorage, 60],
  ['IndexedDB', inIndexedDB, 20],
])('a session stored in %s', (_name, make, few) => {
  it('a store keeps no text that hooks, update or setMessages removed', { timeout: 1_800_000 }, async () => {
    let removed = 0;
    await fc.assert(
      fc.asyncProperty(removals, async (plan) => {
        const under = make();
        try {
          removed += await checkRemovals(plan, under);
        } finally {
          await under.close?.();
        }
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? few), endOnFailure: false },
    );
    expect(removed).toBeGreaterThan(0);
  });
});
