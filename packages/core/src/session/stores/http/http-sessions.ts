import { AgentError } from '../../../kit/agent-error.ts';
import type { StorageFailure } from './http-protocol.ts';
import type { HttpSessionsOptions } from './http-sessions-options.ts';
import { rowSessions } from '../rows/row-sessions.ts';
import type { BlobRows, RowStorage } from '../rows/row-storage.ts';
import type { Durability, FullSessionStore } from '../session-store.ts';

/**
 * Keeps sessions on a server, where every device of a person finds them. Only what is new is sent: a save sends rows
 * that are not there yet, an append one record. `durability` is what the server's store says, and `eventual` until it
 * has answered first. What does the work is loaded with the first call. Writes on the way when a page goes are sent to
 * the end while they are small (60 kB). A file is a request of its own. A server that cannot be reached rejects with
 * `session-storage`.
 */
export function httpSessions(options: HttpSessionsOptions): FullSessionStore {
  return rowSessions(laterRows(options));
}

function laterRows(options: HttpSessionsOptions): RowStorage {
  let durability: Durability = 'eventual';
  let rows: RowStorage | null = null;

  /** Kept: a page that goes away waits for no module, be it one that is there. */
  async function loaded(): Promise<RowStorage> {
    if (rows !== null) return rows;
    const { httpRows } = await import('./http-rows.ts').catch(cannotBeLoaded);
    return (rows ??= httpRows(options, (said) => (durability = said), fail));
  }

  const files = async (): Promise<BlobRows> => (await loaded()).blobs as BlobRows;

  return {
    get durability() {
      return durability;
    },
    blobs: {
      put: async (id, blob) => (await files()).put(id, blob),
      get: async (hash) => (await files()).get(hash),
    },
    heads: async () => (await loaded()).heads(),
    head: async (id) => (await loaded()).head(id),
    read: async (id) => (await loaded()).read(id),
    rows: async (id, names) => (await loaded()).rows(id, names),
    write: async (id, write) => (await loaded()).write(id, write),
    append: async (id, append) => (await loaded()).append(id, append),
    remove: async (id, expected) => (await loaded()).remove(id, expected),
  };
}

/**
 * Handed to what is loaded later, which so shares no file with pages: esbuild would put one that it shares into a chunk
 * of its own, with which every page starts.
 */
const fail: StorageFailure = (message, more) => new AgentError('session-storage', message, more);

function cannotBeLoaded(cause: unknown): never {
  const message = `The client of the session server cannot be loaded: ${String(cause)}. It is tried again with the next call.`;
  throw fail(message, { cause });
}
