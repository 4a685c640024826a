import { indexedDBSessions } from './indexed-db/indexed-db-sessions.ts';
import { localStorageSessions } from './local-storage/local-storage-sessions.ts';
import { memorySessions } from './memory/memory-sessions.ts';
import type { FullSessionStore } from './session-store.ts';
import { withLeftBehind } from './with-left-behind.ts';

/** Options of `browserSessions`; all are optional. */
export type BrowserSessionsOptions = {
  /** The name of the database, or the beginning of the keys. Default: `vitrine`. */
  name?: string;
};

/**
 * Creates the best store that this browser has: IndexedDB, else localStorage, else memory. `durability` and
 * `warning` describe the choice.
 * Another store than IndexedDB is used only in a browser without IndexedDB. A database that cannot be opened
 * now is `unknown`, and every call tries again.
 * The first call moves sessions that an earlier visit left in localStorage into IndexedDB.
 */
export function browserSessions({ name = 'vitrine' }: BrowserSessionsOptions = {}): FullSessionStore {
  return { warning: null, ...placeOf(name), identity: `browser:${name}` };
}

function placeOf(name: string): FullSessionStore {
  if (isHere('indexedDB')) {
    const store = indexedDBSessions({ name });
    return isHere('localStorage') ? withLeftBehind(store, name) : store;
  }
  if (isHere('localStorage')) {
    const warning =
      'This browser has no IndexedDB. There is room for about 5 MB, and a crash may lose the last minute.';
    return { ...localStorageSessions({ prefix: name }), warning };
  }
  const warning = 'This browser stores nothing. Conversations are gone when the page is closed.';
  return { ...memorySessions(), warning };
}

function isHere(name: 'indexedDB' | 'localStorage'): boolean {
  try {
    return Boolean(globalThis[name]);
  } catch {
    // Access itself throws where storage is blocked.
    return false;
  }
}
