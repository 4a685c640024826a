import { indexedDBSessions } from './indexed-db/indexed-db-rows.ts';
import { localStorageRows, localStorageSessions } from './local-storage/local-storage-rows.ts';
import { memorySessions } from './memory/memory-sessions.ts';
import type { FullSessionStore } from '@vitrine/core/internal/session/store/session-store';
import { isVacant } from '../rows/head.ts';

/** Options of `browserSessions`; all are optional. */
export type BrowserSessionsOptions = {
  /** The name of the database, or the beginning of the keys. Default: `vitrine`. */
  name?: string;
};

/**
 * Creates the best store that this browser has: IndexedDB, else localStorage, else memory. `durability` and `warning`
 * describe the choice. Another store than IndexedDB is used only in a browser without IndexedDB. A database that cannot
 * be opened now is `unknown`, and every call tries again. The first call moves sessions that an earlier visit left in
 * localStorage into IndexedDB.
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

/**
 * Wraps a store in IndexedDB. It first moves the sessions that earlier visits left in localStorage under the same name.
 * Sessions that could not be moved stay where they are, and the next call tries again.
 */
function withLeftBehind(store: FullSessionStore, name: string): FullSessionStore {
  let moving: Promise<void> | null = null;

  /** Resolves after the move. Never rejects, because the store reports its own errors. */
  const moveOnce = (): Promise<void> => (moving ??= move().catch(() => void (moving = null)));

  async function move(): Promise<void> {
    const heads = await localStorageRows({ prefix: name }).heads();
    if ([...heads.values()].every(({ text }) => isVacant(text))) return;
    // Loaded on demand, because most visits have nothing to move.
    const { moveSessions } = await import('./move-sessions.ts');
    await moveSessions(localStorageSessions({ prefix: name }), store, [...heads.keys()]);
  }

  /** Wraps a call so that it runs after the move. */
  const after =
    <Args extends readonly unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      await moveOnce();
      return call(...args);
    };

  const { outbox, raw } = store;
  return {
    ...store,
    load: after(store.load),
    takeEpoch: after(store.takeEpoch),
    outbox: { put: after(outbox.put), take: after(outbox.take), drop: after(outbox.drop) },
    save: after(store.save),
    append: after(store.append),
    remove: after(store.remove),
    list: after(store.list),
    runs: after(store.runs),
    ...(raw === undefined ? {} : { raw: after(raw) }),
  };
}
