import { createListeners } from '@vitrine/core/internal/kit/listeners';
import { attachSession } from '../attach-session.ts';
import { notLoaded } from '@vitrine/core/internal/session/store/loaded-session';
import type { BlobStore, FullSessionStore } from '@vitrine/core/internal/session/store/session-store';
import type { RowEngine } from './row-engine.ts';
import type { RowStorage } from './row-storage.ts';
import { idOfName, ownerOfOutbox } from './rows-by-id.ts';

/**
 * Creates a session store over rows of text. It encodes sessions; the storage only keeps texts.
 * Messages, finished steps and finished children are rows of their own, named by their content and written
 * once for state, branches, checkpoints and runs. The codec is loaded with the first call.
 */
export function rowSessions(storage: RowStorage): FullSessionStore {
  const listeners = createListeners<string | null>();
  let engine: RowEngine | null = null;

  /** Loads the engine once and keeps it, because a page that leaves cannot wait for a module. */
  async function loadEngine(): Promise<RowEngine> {
    return (engine ??= (await import('./row-engine.ts')).createRowEngine(storage));
  }

  async function notifyAfter<Value>(id: string, done: Promise<Value>): Promise<Value> {
    const value = await done;
    listeners.notify(id);
    return value;
  }

  async function blobs(): Promise<BlobStore> {
    return (await loadEngine()).blobs as BlobStore;
  }

  return {
    get durability() {
      return storage.durability;
    },
    identity: storage.identity ?? null,
    tabs: storage.tabs ?? null,
    inlineBytes: storage.inlineBytes,
    attach: attachSession,
    blobs: storage.blobs && {
      put: async (data, options) => (await blobs()).put(data, options),
      get: async (hash) => (await blobs()).get(hash),
    },
    async load(id) {
      try {
        await loadEngine();
      } catch (thrown) {
        return { kind: 'unknown', error: notLoaded(thrown) };
      }
      return (await loadEngine()).load(id);
    },
    takeEpoch: async (id, options) => (await loadEngine()).takeEpoch(id, options),
    outbox: {
      put: async (id, command) => notifyAfter(id, (await loadEngine()).outbox.put(id, command)),
      take: async (id) => (await loadEngine()).outbox.take(id),
      drop: async (id, commandIds) => (await loadEngine()).outbox.drop(id, commandIds),
    },
    save: async (record, options) => notifyAfter(record.id, (await loadEngine()).save(record, options)),
    append: async (id, append) => notifyAfter(id, (await loadEngine()).append(id, append)),
    remove: async (id, options) => notifyAfter(id, (await loadEngine()).remove(id, options)),
    list: async (query) => (await loadEngine()).list(query),
    runs: async (id) => (await loadEngine()).runs(id),
    raw: async (id) => (await loadEngine()).raw(id),
    subscribe(listener) {
      const ends = [listeners.add(listener), storage.subscribe?.((name) => listener(sessionOf(name)))];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

/** The session that a storage name belongs to; null for another name. */
function sessionOf(name: string | null): string | null {
  const id = name === null ? null : idOfName(name);
  return id === null ? null : (ownerOfOutbox(id) ?? id);
}
