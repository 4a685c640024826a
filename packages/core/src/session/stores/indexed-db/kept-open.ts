import type { DBSchema, IDBPDatabase } from 'idb';
import { AgentError } from '../../../kit/agent-error.ts';

/**
 * Heads by id, rows by id and name, records by id and number; files by hash, and which session holds which of them:
 * with the time since when, as long as no message of it is stored, or when it was put again for another message.
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
/** Version 2 brought files. */
export const sessionsVersion = 2;

/** A database that is opened when it is first used, and again when it was closed. */
export type KeptOpen = {
  /** `run` asks for its transaction at once. */
  readonly use: <Value>(run: (database: IDBPDatabase<SessionTables>) => Promise<Value>) => Promise<Value>;
};

/** `onOpen` looks after a database that was opened; nobody waits for it. */
export function keptOpen(
  name: string,
  onOpen: (database: IDBPDatabase<SessionTables>) => Promise<void>,
): KeptOpen {
  let opening: Promise<IDBPDatabase<SessionTables>> | null = null;

  async function open(): Promise<IDBPDatabase<SessionTables>> {
    const { openDB } = await import('idb').catch(cannotBeLoaded);
    assertThere();
    const database = await openDB<SessionTables>(name, sessionsVersion, {
      upgrade: makeTables,
      // Another tab wants to change or to delete it, and waits for this one: the next call opens it again.
      blocking(_current, _wanted, { target }) {
        opening = null;
        (target as IDBDatabase).close();
      },
      terminated() {
        opening = null;
      },
    });
    void onOpen(database).catch(() => undefined);
    return database;
  }

  async function opened(): Promise<IDBPDatabase<SessionTables>> {
    opening ??= open();
    try {
      return await opening;
    } catch (thrown) {
      // The next call tries again.
      opening = null;
      throw thrown;
    }
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

/** Makes the tables that a database lacks: all of a new one, those for files of one of version 1. */
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

/** A closed database refuses every transaction, so nothing was begun. */
function wasClosed(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'InvalidStateError';
}

function cannotBeLoaded(cause: unknown): never {
  const message = `What reads IndexedDB cannot be loaded: ${String(cause)}. It is tried again with the next call.`;
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
