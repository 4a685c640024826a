import { createListeners } from '@vitrine/core/internal/kit/listeners';
import { loadOnce } from '@vitrine/core/internal/kit/memoize';
import { attachSession } from '../../attach-session.ts';
import { notLoaded } from '@vitrine/core/internal/session/store/loaded-session';
import type { FullSessionStore } from '@vitrine/core/internal/session/store/session-store';

/** Creates a store that lasts as long as the page. */
export function memorySessions(): FullSessionStore {
  const { add, notify } = createListeners<string | null>();
  // The code is loaded on demand, because the reader of events is as large as the page itself.
  const open = loadOnce(async () => (await import('./memory-records.ts')).memoryRecords(notify));

  return {
    durability: 'none',
    attach: attachSession,
    async load(id) {
      try {
        await open();
      } catch (thrown) {
        return { kind: 'unknown', error: notLoaded(thrown) };
      }
      return (await open()).load(id);
    },
    save: async (record, options) => (await open()).save(record, options),
    takeEpoch: async (id, options) => (await open()).takeEpoch(id, options),
    outbox: {
      put: async (id, command) => (await open()).outbox.put(id, command),
      take: async (id) => (await open()).outbox.take(id),
      drop: async (id, commandIds) => (await open()).outbox.drop(id, commandIds),
    },
    append: async (id, append) => (await open()).append(id, append),
    remove: async (id, options) => (await open()).remove(id, options),
    list: async (query) => (await open()).list(query),
    runs: async (id) => (await open()).runs(id),
    subscribe: add,
  };
}
