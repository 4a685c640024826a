import {
  type DatabaseSync,
  DatabaseSync as Database,
  type SQLInputValue,
  type StatementSync,
} from 'node:sqlite';
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

/** A row as SQLite gives it. */
export type SqliteRow = Readonly<Record<string, unknown>>;

export type SqliteQueries = ReturnType<typeof queriesOf>;

/** A statement with its values. */
export type SqliteStatement = { readonly sql: string; readonly values?: readonly SQLInputValue[] };

/** A database that is used in transactions only. */
export type OpenSqlite = ReturnType<typeof transactionsOf>;

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

function transactionsOf(database: DatabaseSync, reserve: Reserve) {
  const queries = queriesOf(database);
  /** Runs a transaction, or a part of one. What returns false or throws is undone. */
  function within<Value>(begin: string, run: (queries: SqliteQueries) => Value): Value {
    const isInner = database.isTransaction;
    const [start, keep, undo] = isInner
      ? ['SAVEPOINT inner', 'RELEASE inner', 'ROLLBACK TO inner; RELEASE inner']
      : [begin, 'COMMIT', 'ROLLBACK'];
    database.exec(start);
    try {
      const value = run(queries);
      database.exec(value === false ? undo : keep);
      return value;
    } catch (thrown) {
      // A full disk has rolled the transaction back already.
      if (database.isTransaction) database.exec(undo);
      throw thrown;
    }
  }
  return {
    reserve,
    /** Reads in a transaction, so that all rows show the same moment. */
    read: <Value>(query: (queries: SqliteQueries) => Value): Value => within('BEGIN', query),
    /** Writes in a transaction; when `change` returns false or throws, nothing is written. */
    // The lock is taken at the start: compared rows could change before the first write.
    write: (change: (queries: SqliteQueries) => boolean): boolean => within('BEGIN IMMEDIATE', change),
    /** Runs changes whose transactions do not wait for the disk: they survive a killed process, not a power cut. */
    changeUnsynced<Value>(changes: () => Value): Value {
      if (database.isTransaction) return changes();
      // In the write-ahead log NORMAL leaves the sync to the next change that waits for one.
      database.exec('PRAGMA synchronous = NORMAL');
      try {
        return changes();
      } finally {
        database.exec('PRAGMA synchronous = FULL');
      }
    },
    /** True within a transaction. */
    isWriting: (): boolean => database.isTransaction,
    /** Runs calls in one transaction. A change that throws is undone. @returns false when nothing was written */
    together(calls: readonly (() => void)[]): boolean {
      try {
        database.exec('BEGIN IMMEDIATE');
        for (const call of calls) {
          call();
          if (!database.isTransaction) return false;
        }
        database.exec('COMMIT');
        return true;
      } catch {
        if (database.isTransaction) database.exec('ROLLBACK');
        return false;
      }
    },
    /** Moves the log into the file. @throws Error when the disk is full. */
    checkpoint: (): void => void database.prepare('PRAGMA wal_checkpoint(PASSIVE)').all(),
    /** Empties the write-ahead log of deleted data. While another process reads, a later call does it. */
    emptyLog: (): void => void database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all(),
    close(): void {
      if (database.isOpen) database.close();
    },
  };
}

function queriesOf(database: DatabaseSync) {
  const known = new Map<string, StatementSync>();
  function prepareStatement(sql: string): StatementSync {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  }
  return {
    all: (sql: string, ...values: SQLInputValue[]): readonly SqliteRow[] =>
      prepareStatement(sql).all(...values) as SqliteRow[],
    /** Reads the rows one by one, as long as the caller iterates. */
    each: (sql: string, ...values: SQLInputValue[]): Iterable<SqliteRow> =>
      prepareStatement(sql).iterate(...values) as Iterable<SqliteRow>,
    run: (sql: string, ...values: SQLInputValue[]): void => void prepareStatement(sql).run(...values),
  };
}

/**
 * The tables, by the version that introduced them; an older file gets the missing ones. `holds` lists the sessions of a
 * file, with a time while no stored message mentions it, or when it was uploaded again for another one. A session has
 * its size and the stamp of its last whole write; `usage` sums them up for each owner.
 */
const versions = [
  `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, owner TEXT NOT NULL, id TEXT NOT NULL, head TEXT NOT NULL, records INTEGER NOT NULL,
    UNIQUE (owner, id)) STRICT;
  CREATE TABLE rows (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, name TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (session, name)) STRICT;
  CREATE TABLE records (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (session, number)) STRICT;`,
  `
  CREATE TABLE files (
    owner TEXT NOT NULL, hash TEXT NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (owner, hash)) STRICT;
  CREATE TABLE holds (
    owner TEXT NOT NULL, hash TEXT NOT NULL, id TEXT NOT NULL, since INTEGER,
    PRIMARY KEY (owner, hash, id)) STRICT;
  CREATE INDEX holds_of_session ON holds (owner, id);
  CREATE INDEX waiting_holds ON holds (since) WHERE since IS NOT NULL;`,
  `ALTER TABLE holds ADD COLUMN again INTEGER;`,
  `
  ALTER TABLE sessions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET bytes = length(CAST(head AS BLOB)) + 1024
    + coalesce((SELECT sum(length(CAST(text AS BLOB)) + 256) FROM rows WHERE session = key), 0)
    + coalesce((SELECT sum(length(CAST(text AS BLOB)) + 256) FROM records WHERE session = key), 0);
  CREATE TABLE usage (
    owner TEXT NOT NULL PRIMARY KEY, sessions INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO usage (owner, sessions, bytes) SELECT owner, sum(sessions), sum(bytes) FROM (
    SELECT owner, EXISTS (SELECT 1 FROM rows WHERE session = key) AS sessions, bytes FROM sessions
    UNION ALL SELECT owner, 0, length(bytes) + 512 FROM files) GROUP BY owner;`,
];

const sqliteTablesVersion = versions.length;

/** The statements that upgrade the tables of a version to the current ones; 0 stands for an empty file. */
export function tablesSince(version: number): string {
  return versions.slice(version).join('');
}

/** A file beside the database that reserves space to delete on a full disk: SQLite writes erased pages into its log. */
type Reserve = {
  /** Makes the file large enough to erase a write of so many bytes. @throws Error when the disk is full. */
  readonly grow: (bytes: number) => void;
  /** Gives its space to the database. */
  readonly release: () => void;
  /** Takes the space back as far as possible. */
  readonly restore: () => void;
};

const mebibyte = 1024 * 1024;
/** Erasing works in pieces of a mebibyte, with an emptied log after each. */
const least = 4 * mebibyte;

/** The reserve of the database at a path; none for a database in memory. */
function reserveOf(path: string): Reserve {
  if (path === ':memory:' || path === '') return { grow: nothing, release: nothing, restore: nothing };
  const file = `${path}-reserve`;
  let wanted = least;
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;

  function fill(): void {
    if (size >= wanted) return;
    const handle = openSync(file, 'a');
    try {
      while (size < wanted) {
        // Some file systems do not store zeros.
        size += writeSync(handle, randomFillSync(new Uint8Array(Math.min(mebibyte, wanted - size))));
      }
    } finally {
      closeSync(handle);
    }
  }

  function restore(): void {
    try {
      fill();
    } catch {
      // The next write that needs it tries again.
    }
  }

  restore();
  return {
    grow(bytes) {
      wanted = Math.max(wanted, least + 2 * bytes);
      fill();
    },
    release() {
      rmSync(file, { force: true });
      size = 0;
    },
    restore,
  };
}

function nothing(): void {
  // A database in memory has no file.
}
