import { createListeners } from '../../../kit/listeners.ts';
import type { BlobStore, FullSessionStore } from '../session-store.ts';
import type { RowEngine } from './create-row-engine.ts';
import type { RowStorage } from './row-storage.ts';

/**
 * A session store over rows of text: what sessions are is told here, where the texts go is the storage's business.
 * Messages, finished steps and finished children are rows of their own, named by what they say: written once for
 * state, branches, checkpoints and runs. The codec is loaded with the first call.
 */
export function rowSessions(storage: RowStorage): FullSessionStore {
  const listeners = createListeners<string | null>();
  let engine: RowEngine | null = null;

  /** Kept: a page that goes away waits for promises that are settled, but for no module, be it one that is there. */
  async function loaded(): Promise<RowEngine> {
    return (engine ??= (await import('./create-row-engine.ts')).createRowEngine(storage));
  }

  async function told<Value>(id: string, done: Promise<Value>): Promise<Value> {
    const value = await done;
    listeners.notify(id);
    return value;
  }

  async function blobs(): Promise<BlobStore> {
    return (await loaded()).blobs as BlobStore;
  }

  return {
    get durability() {
      return storage.durability;
    },
    tabs: storage.tabs ?? null,
    inlineBytes: storage.inlineBytes,
    blobs: storage.blobs && {
      put: async (data, options) => (await blobs()).put(data, options),
      get: async (hash) => (await blobs()).get(hash),
    },
    load: async (id) => (await loaded()).load(id),
    save: async (record, options) => told(record.id, (await loaded()).save(record, options)),
    append: async (id, append) => told(id, (await loaded()).append(id, append)),
    remove: async (id, options) => told(id, (await loaded()).remove(id, options)),
    list: async (query) => (await loaded()).list(query),
    runs: async (id) => (await loaded()).runs(id),
    raw: async (id) => (await loaded()).raw(id),
    subscribe(listener) {
      const ends = [listeners.add(listener), storage.subscribe?.(listener)];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}
