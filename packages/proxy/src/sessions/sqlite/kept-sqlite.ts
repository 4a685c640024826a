import { AgentError } from '@vitrine/core';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { sqliteTablesVersion, tablesSince } from './sqlite-tables.ts';

/** A database with its prepared statements. */
export type SqliteQueries = {
  readonly all: (sql: string, ...values: SQLInputValue[]) => readonly Record<string, unknown>[];
  readonly run: (sql: string, ...values: SQLInputValue[]) => void;
};

/** A database that is opened with its first use, and is used in transactions only. */
export type KeptSqlite = {
  /** What is read in it is of one moment. */
  readonly read: <Value>(query: (queries: SqliteQueries) => Value) => Promise<Value>;
  /**
   * True: it is written; false, or what it throws: nothing is. With `erases` the write-ahead log is emptied behind it,
   * which would keep what is gone from the file; where another process reads just then, by the next one that can.
   */
  readonly write: (
    change: (queries: SqliteQueries) => boolean,
    options?: { readonly erases: boolean },
  ) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

type Opened = { readonly database: DatabaseSync; readonly queries: SqliteQueries };

export function keptSqlite(path: string): KeptSqlite {
  let opening: Promise<Opened> | null = null;
  let isClosed = false;

  function opened(): Promise<Opened> {
    if (isClosed) throw new AgentError('session-storage', `The sessions in ${path} were closed.`);
    opening ??= openSqlite(path);
    // Whoever comes next may try again.
    opening.catch(() => (opening = null));
    return opening;
  }

  async function within<Value>(
    begin: string,
    run: (queries: SqliteQueries) => Value,
    isKept: (value: Value) => boolean,
  ): Promise<Value> {
    const { database, queries } = await opened();
    database.exec(begin);
    try {
      const value = run(queries);
      database.exec(isKept(value) ? 'COMMIT' : 'ROLLBACK');
      return value;
    } catch (thrown) {
      // A full disk has rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw thrown;
    }
  }

  return {
    read: (query) => within('BEGIN', query, () => true),
    // Not only when the first write comes: what was compared would have changed by then.
    async write(change, { erases } = { erases: false }) {
      const isWritten = await within('BEGIN IMMEDIATE', change, (isKept) => isKept);
      if (isWritten && erases) (await opened()).database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return isWritten;
    },
    async close() {
      isClosed = true;
      const done = await opening?.catch(() => null);
      if (done?.database.isOpen) done.database.close();
    },
  };
}

async function openSqlite(path: string): Promise<Opened> {
  const { DatabaseSync: Database } = await import('node:sqlite').catch((cause: unknown) => {
    const message =
      'sqliteSessions needs node:sqlite, which is not here: take Node 22.13 or newer (22.5 with --experimental-sqlite), or postgresSessions.';
    throw new AgentError('session-storage', message, { cause });
  });
  let database: DatabaseSync | null = null;
  try {
    database = new Database(path);
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
    prepareTables(database, path);
    return { database, queries: queriesOf(database) };
  } catch (cause) {
    database?.close();
    if (cause instanceof AgentError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The sessions in ${path} cannot be opened: ${reason}. See that the folder exists, that this process may write in it, and that the file is one of sqliteSessions.`;
    throw new AgentError('session-storage', message, { cause });
  }
}

function prepareTables(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE');
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found > sqliteTablesVersion) {
    const message = `The sessions in ${path} were written by a newer version of @vitrine/proxy (tables ${found}; this one knows ${sqliteTablesVersion}). Update it; nothing was changed.`;
    throw new AgentError('session-storage', message);
  }
  database.exec(`${tablesSince(found)} PRAGMA user_version = ${sqliteTablesVersion}; COMMIT`);
}

function queriesOf(database: DatabaseSync): SqliteQueries {
  const known = new Map<string, StatementSync>();
  function prepared(sql: string): StatementSync {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  }
  return {
    all: (sql, ...values) => prepared(sql).all(...values) as Record<string, unknown>[],
    run: (sql, ...values) => void prepared(sql).run(...values),
  };
}
