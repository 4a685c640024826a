import { localStorageRows } from './local-storage/local-storage-rows.ts';
import { isVacant } from './rows/is-vacant.ts';
import type { FullSessionStore } from './session-store.ts';

/**
 * Wraps a store in IndexedDB. It first moves the sessions that earlier visits left in localStorage under the
 * same name.
 * Sessions that could not be moved stay where they are, and the next call tries again.
 */
export function withLeftBehind(store: FullSessionStore, name: string): FullSessionStore {
  let moving: Promise<void> | null = null;

  /** Resolves after the move. Never rejects, because the store reports its own errors. */
  function moved(): Promise<void> {
    moving ??= move().catch(() => {
      moving = null;
    });
    return moving;
  }

  async function move(): Promise<void> {
    const heads = await localStorageRows({ prefix: name }).heads();
    if ([...heads.values()].every(({ text }) => isVacant(text))) return;
    // Loaded on demand, because most visits have nothing to move.
    const { moveSessions } = await import('./move-sessions.ts');
    const { localStorageSessions } = await import('./local-storage/local-storage-sessions.ts');
    await moveSessions(localStorageSessions({ prefix: name }), store, [...heads.keys()]);
  }

  /** Wraps a call so that it runs after the move. */
  const after =
    <Args extends readonly unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      await moved();
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
