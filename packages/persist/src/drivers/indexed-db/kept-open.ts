import type { DBSchema, IDBPDatabase } from 'idb';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { createDeferred, type Deferred } from '@vitrine/core/internal/kit/deferred';

/**
 * The tables: heads by id, rows by id and name, records by id and number, files by hash, and the files that each
 * session holds. `since` is the time of a file whose message is not stored yet; `again` is the time when it was put for
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

/** A database that opens at its first use, and again after it was closed or its connection was lost. */
export type KeptOpen = {
  /**
   * Begins a transaction and runs a function in it. On a connection that is lost both are done again; a transaction that
   * writes only when it has not begun.
   */
  readonly use: <Transaction extends { readonly mode: IDBTransactionMode }, Value>(
    begin: (database: IDBPDatabase<SessionTables>) => Transaction,
    run: (transaction: Transaction) => Promise<Value>,
  ) => Promise<Value>;
};

/** The time without an answer after which the connection is taken to be lost, in milliseconds. */
const silentMs = 10_000;

/** Creates the opener. `onOpen` runs after each opening and is not awaited. */
export function keptOpen(
  name: string,
  onOpen: (database: IDBPDatabase<SessionTables>) => Promise<void>,
): KeptOpen {
  let opening: Promise<IDBPDatabase<SessionTables>> | null = null;
  /** Rejects while another tab keeps an older version open. */
  let whenBlocked = createFailure();
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
    [isOpen, whenBlocked] = [true, createFailure()];
    void onOpen(database).catch(() => undefined);
    return database;
  }

  async function openDatabase(): Promise<IDBPDatabase<SessionTables>> {
    if (opening === null) isOpen = false;
    const asked = (opening ??= open());
    asked.catch(() => {
      // The next call tries again.
      if (opening === asked) opening = null;
    });
    return isOpen ? asked : Promise.race([asked, whenBlocked.promise]);
  }

  /** Opens the database anew with the next use. A browser may lose a connection without an event. */
  function forget(lost: IDBPDatabase<SessionTables>, asked: typeof opening): void {
    if (opening === asked) opening = null;
    lost.close();
  }

  async function attempt<Transaction extends { readonly mode: IDBTransactionMode }, Value>(
    begin: (database: IDBPDatabase<SessionTables>) => Transaction,
    run: (transaction: Transaction) => Promise<Value>,
  ): Promise<Attempt<Value>> {
    const database = await openDatabase();
    const asked = opening;
    let transaction: Transaction;
    try {
      transaction = begin(database);
    } catch (thrown) {
      forget(database, asked);
      return { thrown, isRepeatable: true };
    }
    const silence = createFailure();
    const timer = setTimeout(() => silence.reject(isSilent(name)), silentMs);
    try {
      return { value: await Promise.race([run(transaction), silence.promise]) };
    } catch (thrown) {
      if (isLost(thrown)) forget(database, asked);
      return { thrown, isRepeatable: isLost(thrown) && transaction.mode === 'readonly' };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async use(begin, run) {
      const first = await attempt(begin, run);
      const last = 'thrown' in first && first.isRepeatable ? await attempt(begin, run) : first;
      if ('thrown' in last) throw last.thrown;
      return last.value;
    },
  };
}

/** The outcome of a transaction; one that is repeatable has changed nothing. */
type Attempt<Value> =
  { readonly value: Value } | { readonly thrown: unknown; readonly isRepeatable: boolean };

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

const lostNames: readonly string[] = ['InvalidStateError', 'UnknownError', 'TimeoutError'];

/** True for the errors of a database that was closed, and of one whose connection the browser has lost. */
function isLost(thrown: unknown): boolean {
  return thrown instanceof DOMException && lostNames.includes(thrown.name);
}

/** Creates the error for a database that has not answered. */
function isSilent(name: string): DOMException {
  const message = `The database ${JSON.stringify(name)} has not answered for ${silentMs / 1000} s. The next call opens it again.`;
  return new DOMException(message, 'TimeoutError');
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

function createFailure(): Deferred<never> {
  const made = createDeferred<never>();
  // A rejection without a listener must not be reported as unhandled.
  made.promise.catch(() => undefined);
  return made;
}

/** Creates the error for a blocked database. It opens once the other tab lets go. */
function isBlocked(name: string): AgentError {
  const message = `The database ${JSON.stringify(name)} cannot be opened: another tab keeps an older version of it. Close or reload the other tabs of this page.`;
  return new AgentError('session-storage', message, { data: { retryable: true } });
}
