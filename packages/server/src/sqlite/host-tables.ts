import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { AgentError } from '@vitrine/core';
import { inStorage, rowBytes } from '../host/owner-limits.ts';
import type { SqliteRow, SqliteSessions } from '@vitrine/proxy/sqlite';

/** The tables of a host in the file of the sessions, whose thread alone writes: another writer would block both. */
export type HostTables = {
  /** Reads rows at once: in the write-ahead log no reader waits for a writer. */
  readonly all: (sql: string, ...values: SQLInputValue[]) => readonly SqliteRow[];
  /** Runs statements in one transaction. Resolves with the rows of each. */
  readonly change: SqliteSessions['change'];
  readonly close: () => void;
};

/** The clock of the database in milliseconds, as an SQL expression. */
export const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** A wake-up stays until a run has ended without work left. Numbers are never used twice, so epochs only grow. */
const tables = `
  CREATE TABLE IF NOT EXISTS host_commands (
    n INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    id TEXT NOT NULL, command TEXT NOT NULL, given_by TEXT NOT NULL, at INTEGER NOT NULL, answer TEXT,
    UNIQUE (owner, session, id)) STRICT;
  CREATE INDEX IF NOT EXISTS host_commands_waiting ON host_commands (owner, session) WHERE answer IS NULL;
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

/** The bytes of a row of each table, as an expression over its name in a trigger. */
const sizes: Readonly<Record<string, (row: string) => string>> = {
  host_commands: (row) =>
    `${rowBytes} + octet_length(${row}.command) + coalesce(octet_length(${row}.answer), 0)`,
  host_effects: (row) => `${rowBytes} + coalesce(octet_length(${row}.outcome), 0)`,
  host_wakes: () => String(rowBytes),
  host_epochs: () => String(rowBytes),
  host_deaths: () => String(rowBytes),
};

/** Triggers that count each row for its owner, where the rows of sessions are counted. */
const counting = Object.entries(sizes)
  .map(
    ([table, size]) => `
  CREATE TRIGGER IF NOT EXISTS ${table}_added AFTER INSERT ON ${table} BEGIN
    INSERT INTO usage (owner, sessions, bytes) VALUES (new.owner, 0, ${size('new')})
    ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes; END;
  CREATE TRIGGER IF NOT EXISTS ${table}_changed AFTER UPDATE ON ${table} BEGIN
    UPDATE usage SET bytes = max(0, bytes + (${size('new')}) - (${size('old')})) WHERE owner = new.owner; END;
  CREATE TRIGGER IF NOT EXISTS ${table}_removed AFTER DELETE ON ${table} BEGIN
    UPDATE usage SET bytes = max(0, bytes - (${size('old')})) WHERE owner = old.owner; END;`,
  )
  .join('');

/** Counts the rows of a file from before they were counted. */
const countedOnce = Object.entries(sizes)
  .map(
    ([table, size]) => `
  INSERT INTO usage (owner, sessions, bytes) SELECT owner, 0, sum(${size(table)}) FROM ${table} WHERE true GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;`,
  )
  .join('');

/** Makes the tables of a host, and counts what they hold when it was not counted yet. */
function prepareTables(database: DatabaseSync): void {
  const has = (name: string): boolean =>
    database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;
  database.exec('BEGIN IMMEDIATE');
  const isOld = has('host_commands') && has('usage') && !has('host_commands_added');
  database.exec(`${tables} ${isOld ? countedOnce : ''} ${counting} COMMIT`);
}

/** The advice of an error of the file. */
export const advice = 'See that its disk has room, and that no other program locks the file.';

/** Opens the tables at a path, in the file of the given sessions. @throws AgentError `session-storage` */
export function openHostTables(path: string, { change }: Pick<SqliteSessions, 'change'>): HostTables {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    prepareTables(database);
    return {
      ...readerOf(database),
      change: (...asked) => inStorage(`The host in ${path} failed`, advice, () => change(...asked)),
    };
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

/** Waits for the host of a path, whose lock a killed process releases. @returns the function that releases it */
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
