import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { AgentError } from '@vitrine/core';
import type { SqliteRow, SqliteSessions } from '@vitrine/proxy/sqlite';

/**
 * The tables of a host, beside those of the sessions in one file. Only the thread of the sessions writes: a second writer
 * would wait for its lock, and the whole server with it.
 */
export type HostTables = {
  /** Reads rows at once: in the write-ahead log no reader waits for a writer. */
  readonly all: (sql: string, ...values: SQLInputValue[]) => readonly SqliteRow[];
  /** Runs statements in one transaction. Resolves with the rows of each. */
  readonly change: SqliteSessions['change'];
  readonly close: () => void;
};

/** The clock of the database in milliseconds, as an SQL expression. */
export const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/**
 * A wake-up stays until a run has ended without work left, so a killed process loses none. Numbers are never used twice,
 * so an epoch is higher than all before it.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS host_commands (
    n INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    id TEXT NOT NULL, command TEXT NOT NULL, given_by TEXT NOT NULL, at INTEGER NOT NULL, answer TEXT,
    UNIQUE (owner, session, id)) STRICT;
  CREATE TABLE IF NOT EXISTS host_wakes (
    n INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    at INTEGER NOT NULL, is_command INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS host_wakes_of_session ON host_wakes (owner, session);
  CREATE TABLE IF NOT EXISTS host_epochs (
    epoch INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, session TEXT NOT NULL,
    journal TEXT, record INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS host_epochs_of_session ON host_epochs (owner, session);
  CREATE TABLE IF NOT EXISTS host_deaths (
    owner TEXT NOT NULL, session TEXT NOT NULL, runs INTEGER NOT NULL, PRIMARY KEY (owner, session)) STRICT;
  CREATE TABLE IF NOT EXISTS host_effects (
    owner TEXT NOT NULL, session TEXT NOT NULL, execution TEXT NOT NULL, key TEXT NOT NULL, outcome TEXT,
    PRIMARY KEY (owner, session, execution, key)) STRICT;`;

/** Opens the tables at a path, in the file of the given sessions. @throws AgentError `session-storage` */
export function openHostTables(path: string, { change }: Pick<SqliteSessions, 'change'>): HostTables {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec(tables);
    return { ...readerOf(database), change };
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The host in ${path} cannot be opened: ${reason}. See that the folder exists and that this process may write in it.`;
    throw new AgentError('session-storage', message, { cause });
  }
}

function readerOf(database: DatabaseSync): Pick<HostTables, 'all' | 'close'> {
  const known = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return {
    all(sql, ...values) {
      const statement = known.get(sql) ?? database.prepare(sql);
      known.set(sql, statement);
      return statement.all(...values) as SqliteRow[];
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/** The number of the newest epoch of a session, 0 for none; its owner is `?1` and its id `?2`. */
export const newestEpoch =
  '(SELECT coalesce(max(epoch), 0) FROM host_epochs WHERE owner = ?1 AND session = ?2)';

/**
 * Waits until this process owns the host of a path. The lock is one of the operating system, so a killed process releases
 * it. @returns the function that releases it @throws AgentError `session-storage` when another process keeps it
 */
export async function ownHost(path: string, waitMs: number): Promise<() => void> {
  const database = new DatabaseSync(`${path}-host`);
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (thrown) {
      const isBusy = (thrown as { readonly errcode?: number }).errcode === busy;
      if (isBusy && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        continue;
      }
      database.close();
      if (!isBusy) throw thrown;
      throw new AgentError(
        'session-storage',
        `Another process runs the sessions in ${path}, and did not stop within ${waitMs} ms. Stop it first: sqliteHost is for one process.`,
        { cause: thrown },
      );
    }
  }
}

/** SQLite's code for a lock of another connection. */
const busy = 5;
const pollMs = 50;
