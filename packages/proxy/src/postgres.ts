export type { PostgresConnection, PostgresPool } from './kit/postgres.ts';
export type { PostgresDurability } from './sessions/postgres-sessions.ts';
export { postgresSessions, type PostgresSessionsOptions } from './sessions/postgres-sessions.ts';
export { postgresStreamLog, type PostgresStreamLogOptions } from './stream/postgres-stream-log.ts';
