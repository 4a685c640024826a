import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { faultyIndexedDB } from '@vitrine/testing/internal/faulty-indexed-db.fixture';
import { faultyStorage } from '@vitrine/testing/internal/faulty-storage.fixture';
import { testSessionStore } from '@vitrine/testing/internal/store-suite/test-session-store';
import type {
  StoreSuiteOptions,
  StoreUnderTest,
} from '@vitrine/testing/internal/store-suite/store-under-test';
import { indexedDBSessions } from '../drivers/indexed-db/indexed-db-rows.ts';
import { localStorageSessions } from '../drivers/local-storage/local-storage-rows.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

// A small number of runs, as mutation tests use, proves nothing.
const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;
const much: StoreSuiteOptions = { changes: 20_000, mutations: 5_000, sessions: 10_000, limitStep: 1 };
const little: StoreSuiteOptions = { changes: 200, mutations: 300, sessions: 500, limitStep: 997 };

function inLocalStorage(): StoreUnderTest {
  const { storage, injectedErrors, raw } = faultyStorage();
  const open = (): StoreUnderTest['store'] => localStorageSessions({ storage });
  return { store: open(), reopen: open, injectedErrors, raw: raw('vitrine') };
}

let databases = 0;
function inIndexedDB(): StoreUnderTest {
  const { factory, injectedErrors, raw, restore } = faultyIndexedDB();
  vi.stubGlobal('indexedDB', factory);
  const name = `laws-${++databases}`;
  const open = (): StoreUnderTest['store'] => indexedDBSessions({ name });
  return { store: open(), reopen: open, injectedErrors, raw: raw(name), close: restore };
}

afterEach(() => vi.unstubAllGlobals());

// A database for each single amount of room takes IndexedDB an hour and a half.
const inSteps: StoreSuiteOptions = { ...much, limitStep: 7 };

describe.each<[string, () => StoreUnderTest, readonly string[], StoreSuiteOptions]>([
  ['memory', () => ({ store: memorySessions() }), ['injectedErrors', 'raw', 'blobs'], much],
  ['localStorage', inLocalStorage, ['blobs'], much],
  ['IndexedDB', inIndexedDB, [], inSteps],
])('a session store in %s', (_name, make, lacks, proof) => {
  const laws = testSessionStore(make, isProof ? proof : little).map(({ name, run }) => [name, run] as const);
  // Each amount of storage room is tested on a database of its own.
  it.each(laws)('%s', { timeout: isProof ? 10_800_000 : 300_000 }, async (_law, run) => {
    const { skipped } = await run();
    if (skipped !== null) expect(lacks.some((hook) => skipped.includes(hook))).toBe(true);
  });
});
