export { sqliteSessions, type SqliteSessionsOptions } from './sessions/sqlite/sqlite-sessions.ts';
