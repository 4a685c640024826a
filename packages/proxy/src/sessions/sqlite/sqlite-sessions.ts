import { type ServerSessions, serverSessions } from '../server-sessions.ts';
import { keptSqlite } from './kept-sqlite.ts';
import { sqliteRows } from './sqlite-rows.ts';

/** Where sessions are written. */
export type SqliteSessionsOptions = {
  /** The file, made where there is none; its folder has to exist. `:memory:` keeps nothing. */
  readonly path: string;
};

/**
 * Keeps the sessions of a server in one SQLite file, by the `node:sqlite` of Node 22.13 or newer (22.5 with
 * `--experimental-sqlite`), without a package. A write is one transaction in a write-ahead log that is synced before it
 * resolves (`synchronous = FULL`): it survives a killed process (`process-crash`); how much of a power cut depends on
 * the disk. What is removed is overwritten in the file and gone from its log. Several processes of one machine may share the
 * file and wait up to 5 s for each other; network drives are not for it. Queries block the thread while they run.
 * Without `node:sqlite` every call rejects with AgentError `session-storage`.
 */
export function sqliteSessions({ path }: SqliteSessionsOptions): ServerSessions {
  const database = keptSqlite(path);
  return serverSessions((ownerId) => sqliteRows(database, ownerId), database.close);
}
