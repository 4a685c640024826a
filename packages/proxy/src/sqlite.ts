export { sqliteSessions, type SqliteSessionsOptions } from './sessions/sqlite/sqlite-sessions.ts';
export type { OwnerLimits, ServerRows } from './sessions/row-pages.ts';
export type { ServerSessions } from './sessions/server-sessions.ts';
