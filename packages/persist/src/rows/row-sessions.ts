import { createListeners } from '@vitrine/core/internal/kit/listeners';
import { loadOnce } from '@vitrine/core/internal/kit/memoize';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
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
  const { identity = null, tabs = null, inlineBytes } = storage;
  const load = async (): Promise<RowEngine> => (await import('./row-engine.ts')).createRowEngine(storage);
  const { blobs, ...store } = lateStore(load);
  return {
    ...store,
    get durability() {
      return storage.durability;
    },
    identity,
    tabs,
    inlineBytes,
    blobs: storage.blobs && blobs,
    subscribe(listener) {
      const ends = [store.subscribe(listener), storage.subscribe?.((name) => listener(sessionOf(name)))];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

type LateStore = Omit<RowEngine, 'blobs'> &
  Pick<FullSessionStore, 'attach' | 'subscribe'> & { blobs: BlobStore };

/** A store whose code is loaded with its first call, and kept, because a page that leaves cannot wait for a module. */
export function lateStore(load: () => Promise<RowEngine>): LateStore {
  const { add, notify } = createListeners<string | null>();
  const open = loadOnce(load);

  async function notifyAfter<Value>(id: string, done: Promise<Value>): Promise<Value> {
    const value = await done;
    notify(id);
    return value;
  }

  return {
    attach: attachSession,
    blobs: {
      put: async (data, options) => ((await open()).blobs as BlobStore).put(data, options),
      get: async (hash) => ((await open()).blobs as BlobStore).get(hash),
    },
    async load(id) {
      try {
        await open();
      } catch (thrown) {
        return { kind: 'unknown', error: isAgentError(thrown) ? thrown : notLoaded(thrown) };
      }
      return (await open()).load(id);
    },
    takeEpoch: async (id, options) => (await open()).takeEpoch(id, options),
    outbox: {
      put: async (id, command) => notifyAfter(id, (await open()).outbox.put(id, command)),
      take: async (id) => (await open()).outbox.take(id),
      drop: async (id, commandIds) => (await open()).outbox.drop(id, commandIds),
    },
    save: async (record, options) => notifyAfter(record.id, (await open()).save(record, options)),
    append: async (id, append) => notifyAfter(id, (await open()).append(id, append)),
    remove: async (id, options) => notifyAfter(id, (await open()).remove(id, options)),
    list: async (query) => (await open()).list(query),
    runs: async (id) => (await open()).runs(id),
    raw: async (id) => (await open()).raw(id),
    subscribe: add,
  };
}

/** The session that a storage name belongs to; null for another name. */
function sessionOf(name: string | null): string | null {
  const id = name === null ? null : idOfName(name);
  return id === null ? null : (ownerOfOutbox(id) ?? id);
}
