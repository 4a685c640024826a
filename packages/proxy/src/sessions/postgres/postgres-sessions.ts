import { checkPrefix } from '../../check-prefix.ts';
import type { PostgresPool } from '../../postgres-pool.ts';
import { type ServerSessions, serverSessions } from '../server-sessions.ts';
import { postgresRows } from './postgres-rows.ts';
import { type PostgresDurability, preparedQueries } from './prepared-queries.ts';
import { sessionStatements } from './session-statements.ts';

/** Where sessions are written. */
export type PostgresSessionsOptions = {
  /** A `Pool` of the package `pg`, the same as of streams if you like. It stays yours to close. */
  readonly pool: Pick<PostgresPool, 'query'>;
  /** What the names of all tables begin with: small letters, digits and `_`. Default: `vitrine_`. */
  readonly prefix?: string;
  /**
   * `replicated` claims that a write waits for another machine. It is believed where `synchronous_standby_names` is set
   * and `synchronous_commit` is not `local`; elsewhere every call rejects with `session-storage`. Default:
   * `process-crash`, for which `synchronous_commit` must not be `off`.
   */
  readonly durability?: PostgresDurability;
};

/**
 * Keeps the sessions of many servers in PostgreSQL (13 or newer). Its five tables are made when it is first used,
 * with the functions and triggers (PL/pgSQL) that free a file with the last session that holds it. A
 * write is one statement and so one transaction, which compares what is stored with what is expected.
 * @throws AgentError `agent-invalid` for a prefix that is no plain name.
 */
export function postgresSessions(options: PostgresSessionsOptions): ServerSessions {
  const { pool, durability = 'process-crash' } = options;
  const prefix = checkPrefix('postgresSessions', options.prefix ?? 'vitrine_');
  const { query, close } = preparedQueries(pool, sessionStatements(prefix), durability);
  return serverSessions((ownerId) => postgresRows(query, ownerId, durability), close);
}
