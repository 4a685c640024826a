export type { SessionPool } from './sessions/postgres/session-pool.ts';
export { postgresSessions, type PostgresSessionsOptions } from './sessions/postgres/postgres-sessions.ts';
export type { ServerSessions } from './sessions/server-sessions.ts';
