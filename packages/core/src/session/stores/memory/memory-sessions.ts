import { createListeners } from '../../../kit/listeners.ts';
import type { FullSessionStore } from '../session-store.ts';

type Records = Omit<FullSessionStore, 'durability' | 'subscribe' | 'warning' | 'tabs'>;

/** Keeps sessions for as long as the page lives. */
export function memorySessions(): FullSessionStore {
  const { add, notify } = createListeners<string | null>();
  let opened: Promise<Records> | null = null;

  /** Not with the page: what reads events is as large as the page itself. */
  function open(): Promise<Records> {
    opened ??= import('./memory-records.ts').then(({ memoryRecords }) => memoryRecords(notify));
    // Whoever comes next may try again.
    opened.catch(() => (opened = null));
    return opened;
  }

  return {
    durability: 'none',
    load: async (id) => (await open()).load(id),
    save: async (record, options) => (await open()).save(record, options),
    append: async (id, append) => (await open()).append(id, append),
    remove: async (id, options) => (await open()).remove(id, options),
    list: async (query) => (await open()).list(query),
    runs: async (id) => (await open()).runs(id),
    subscribe: add,
  };
}
