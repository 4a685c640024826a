import type { DBSchema, IDBPDatabase } from 'idb';
import { AgentError } from '../../kit/agent-error.ts';

/** Heads by id, rows by id and name, records by id and number. */
export interface SessionTables extends DBSchema {
  heads: { key: string; value: string };
  rows: { key: [id: string, name: string]; value: string };
  records: { key: [id: string, number: number]; value: string };
}
export type SessionTable = 'heads' | 'rows' | 'records';
export const sessionTables: SessionTable[] = ['heads', 'rows', 'records'];

/** A database that is opened when it is first used, and again when it was closed. */
export type KeptOpen = {
  /** `run` asks for its transaction at once. */
  readonly use: <Value>(run: (database: IDBPDatabase<SessionTables>) => Promise<Value>) => Promise<Value>;
};

export function keptOpen(name: string): KeptOpen {
  let opening: Promise<IDBPDatabase<SessionTables>> | null = null;

  async function open(): Promise<IDBPDatabase<SessionTables>> {
    const { openDB } = await import('idb');
    assertThere();
    return openDB<SessionTables>(name, 1, {
      upgrade(database) {
        for (const table of sessionTables) database.createObjectStore(table);
      },
      // Another tab wants to change or to delete it, and waits for this one: the next call opens it again.
      blocking(_current, _wanted, { target }) {
        opening = null;
        (target as IDBDatabase).close();
      },
      terminated() {
        opening = null;
      },
    });
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

/** A closed database refuses every transaction, so nothing was begun. */
function wasClosed(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'InvalidStateError';
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
