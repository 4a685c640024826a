export {
  type SqliteSessions,
  sqliteSessions,
  type SqliteSessionsOptions,
} from './sessions/sqlite/sqlite-sessions.ts';
export type { SqliteRow, SqliteStatement } from './sessions/sqlite/open-sqlite.ts';
