import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { DatabaseSync as Database } from 'node:sqlite';
import { type Reserve, reserveOf } from './reserve.ts';
import { sqliteTablesVersion, tablesSince } from './sqlite-tables.ts';

/** A row as SQLite gives it. */
export type SqliteRow = Readonly<Record<string, unknown>>;

/** A database with its prepared statements. */
export type SqliteQueries = {
  readonly all: (sql: string, ...values: SQLInputValue[]) => readonly SqliteRow[];
  /** Reads the rows one by one, as long as the caller iterates. */
  readonly each: (sql: string, ...values: SQLInputValue[]) => Iterable<SqliteRow>;
  readonly run: (sql: string, ...values: SQLInputValue[]) => void;
};

/** A database that is used in transactions only. */
export type OpenSqlite = {
  /** Reads in a transaction, so that all rows show the same moment. */
  readonly read: <Value>(query: (queries: SqliteQueries) => Value) => Value;
  /** Writes in a transaction; when `change` returns false or throws, nothing is written. */
  readonly write: (change: (queries: SqliteQueries) => boolean) => boolean;
  /**
   * Empties the write-ahead log, which would otherwise keep deleted data. While another process reads, a later call
   * does it.
   */
  readonly emptyLog: () => void;
  /** Moves the log into the file. @throws Error when the disk is full. */
  readonly checkpoint: () => void;
  readonly reserve: Reserve;
  readonly close: () => void;
};

/** An error that tells the application what to do. */
export class SqliteSetupError extends Error {
  override readonly name = 'SqliteSetupError';
}

/** @throws SqliteSetupError for a file that cannot be opened, or is no store of sessions. */
export function openSqlite(path: string): OpenSqlite {
  let database: DatabaseSync | null = null;
  try {
    database = new Database(path);
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
    prepareTables(database, path);
    return transactionsOf(database, reserveOf(path));
  } catch (cause) {
    database?.close();
    if (cause instanceof SqliteSetupError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The sessions in ${path} cannot be opened: ${reason}. See that the folder exists, that this process may write in it, and that the file is one of sqliteSessions.`;
    throw new SqliteSetupError(message, { cause });
  }
}

function prepareTables(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE');
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found > sqliteTablesVersion) {
    const message = `The sessions in ${path} were written by a newer version of @vitrine/proxy (tables ${found}; this one knows ${sqliteTablesVersion}). Update it; nothing was changed.`;
    throw new SqliteSetupError(message);
  }
  database.exec(`${tablesSince(found)} PRAGMA user_version = ${sqliteTablesVersion}; COMMIT`);
}

function transactionsOf(database: DatabaseSync, reserve: Reserve): OpenSqlite {
  const queries = queriesOf(database);
  function within<Value>(begin: string, run: () => Value, isKept: (value: Value) => boolean): Value {
    database.exec(begin);
    try {
      const value = run();
      database.exec(isKept(value) ? 'COMMIT' : 'ROLLBACK');
      return value;
    } catch (thrown) {
      // A full disk has rolled the transaction back already.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw thrown;
    }
  }
  return {
    reserve,
    read: (query) =>
      within(
        'BEGIN',
        () => query(queries),
        () => true,
      ),
    // The lock is taken at the start: compared rows could change before the first write.
    write: (change) =>
      within(
        'BEGIN IMMEDIATE',
        () => change(queries),
        (isKept) => isKept,
      ),
    checkpoint: () => void database.prepare('PRAGMA wal_checkpoint(PASSIVE)').all(),
    emptyLog: () => void database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all(),
    close() {
      if (database.isOpen) database.close();
    },
  };
}

function queriesOf(database: DatabaseSync): SqliteQueries {
  const known = new Map<string, StatementSync>();
  function prepared(sql: string): StatementSync {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  }
  return {
    all: (sql, ...values) => prepared(sql).all(...values) as SqliteRow[],
    each: (sql, ...values) => prepared(sql).iterate(...values) as Iterable<SqliteRow>,
    run: (sql, ...values) => void prepared(sql).run(...values),
  };
}
