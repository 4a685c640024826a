export type { PostgresConnection, PostgresPool, PostgresResult } from './postgres-pool.ts';
export { postgresStreamLog, type PostgresStreamLogOptions } from './postgres-stream-log.ts';
