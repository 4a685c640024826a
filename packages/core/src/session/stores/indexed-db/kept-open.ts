import type { DBSchema, IDBPDatabase } from 'idb';
import { AgentError } from '../../../kit/agent-error.ts';

/**
 * The tables: heads by id, rows by id and name, records by id and number, files by hash, and the files that
 * each session holds.
 * `since` is the time of a file whose message is not stored yet; `again` is the time when it was put for
 * another message.
 */
export interface SessionTables extends DBSchema {
  heads: { key: string; value: string };
  rows: { key: [id: string, name: string]; value: string };
  records: { key: [id: string, number: number]; value: string };
  blobs: { key: string; value: { readonly bytes: ArrayBuffer; readonly mediaType: string } };
  holds: {
    key: [id: string, hash: string];
    value: { readonly hash: string; readonly since?: number; readonly again?: number };
    indexes: { hash: string; since: number };
  };
}
export type SessionTable = 'heads' | 'rows' | 'records' | 'blobs' | 'holds';
export const sessionTables: SessionTable[] = ['heads', 'rows', 'records', 'blobs', 'holds'];
/** The version of the database. Version 2 added files. */
export const sessionsVersion = 2;

/** A database that opens at its first use, and again after it was closed. */
export type KeptOpen = {
  /** Runs a function with the database; `run` must begin its transaction at once. */
  readonly use: <Value>(run: (database: IDBPDatabase<SessionTables>) => Promise<Value>) => Promise<Value>;
};

/** Creates the opener. `onOpen` runs after each opening and is not awaited. */
export function keptOpen(
  name: string,
  onOpen: (database: IDBPDatabase<SessionTables>) => Promise<void>,
): KeptOpen {
  let opening: Promise<IDBPDatabase<SessionTables>> | null = null;
  /** Rejects while another tab keeps an older version open. */
  let whenBlocked = deferred();
  let isOpen = false;

  async function open(): Promise<IDBPDatabase<SessionTables>> {
    const { openDB } = await import('idb').catch(cannotBeLoaded);
    assertThere();
    const database = await openDB<SessionTables>(name, sessionsVersion, {
      upgrade: makeTables,
      blocked: () => whenBlocked.reject(isBlocked(name)),
      // Another tab changes or deletes the database and waits for this one. The next call opens it again.
      blocking(_current, _wanted, { target }) {
        opening = null;
        (target as IDBDatabase).close();
      },
      terminated() {
        opening = null;
      },
    });
    [isOpen, whenBlocked] = [true, deferred()];
    void onOpen(database).catch(() => undefined);
    return database;
  }

  async function opened(): Promise<IDBPDatabase<SessionTables>> {
    if (opening === null) isOpen = false;
    const asked = (opening ??= open());
    asked.catch(() => {
      // The next call tries again.
      if (opening === asked) opening = null;
    });
    return isOpen ? asked : Promise.race([asked, whenBlocked.promise]);
  }

  return {
    async use(run) {
      const database = await opened();
      try {
        return await run(database);
      } catch (thrown) {
        if (!wasClosed(thrown)) throw thrown;
        opening = null;
        return run(await opened());
      }
    },
  };
}

/** Creates the missing tables: all in a new database, those for files in one of version 1. */
export function makeTables(database: IDBPDatabase<SessionTables>): void {
  const missing = sessionTables.filter((table) => !database.objectStoreNames.contains(table));
  for (const table of missing) {
    const made = database.createObjectStore(table);
    if (table !== 'holds') continue;
    const holds = made as unknown as IDBObjectStore;
    holds.createIndex('hash', 'hash');
    holds.createIndex('since', 'since');
  }
}

/** True for the error of a closed database. It refuses every transaction, so nothing was begun. */
function wasClosed(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'InvalidStateError';
}

function cannotBeLoaded(cause: unknown): never {
  const message = `The IndexedDB library cannot be loaded: ${String(cause)}. The next call tries again.`;
  throw new AgentError('session-storage', message, { data: { retryable: true }, cause });
}

function assertThere(): void {
  try {
    if (globalThis.indexedDB) return;
  } catch {
    // Access itself throws where storage is blocked.
  }
  const message =
    'IndexedDB is not available here (blocked, or no browser). Use browserSessions(), or memorySessions().';
  throw new AgentError('session-storage', message);
}

type Deferred = { readonly promise: Promise<never>; readonly reject: (error: Error) => void };

function deferred(): Deferred {
  let reject: Deferred['reject'] = () => undefined;
  const promise = new Promise<never>((_, fail) => (reject = fail));
  // A rejection without a listener must not be reported as unhandled.
  promise.catch(() => undefined);
  return { promise, reject };
}

/** Creates the error for a blocked database. It opens once the other tab lets go. */
function isBlocked(name: string): AgentError {
  const message = `The database ${JSON.stringify(name)} cannot be opened: another tab keeps an older version of it. Close or reload the other tabs of this page.`;
  return new AgentError('session-storage', message, { data: { retryable: true } });
}
