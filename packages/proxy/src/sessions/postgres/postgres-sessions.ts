import { checkPrefix, type PostgresPool } from '../../kit/postgres.ts';
import { type ServerSessions, serverSessions } from '../server-sessions.ts';
import { postgresRows } from './postgres-rows.ts';
import { type PostgresDurability, preparedQueries } from './prepared-queries.ts';
import { sessionStatements } from './session-statements.ts';

/** Options of {@link postgresSessions}. */
export type PostgresSessionsOptions = {
  /** A `Pool` of the package `pg`; the pool of streams may be shared. The caller closes it. */
  readonly pool: Pick<PostgresPool, 'query'>;
  /** The beginning of all table names: lower-case letters, digits and `_`. Default: `vitrine_`. */
  readonly prefix?: string;
  /**
   * The promised durability. `replicated` means that a write waits for another machine: `synchronous_standby_names`
   * must be set and `synchronous_commit` must not be `local`; otherwise every call rejects with `session-storage`.
   * Default: `process-crash`, for which `synchronous_commit` must not be `off`.
   */
  readonly durability?: PostgresDurability;
};

/**
 * Keeps the sessions of many servers in PostgreSQL (13 or newer). The first use creates its six tables, with the
 * functions and the trigger (PL/pgSQL) that count the bytes of an owner and free a file with the last session that
 * holds it. A write is one statement and so one transaction, which compares the stored version with the expected one.
 * @throws AgentError `agent-invalid` for a prefix that is no plain name.
 */
export function postgresSessions(options: PostgresSessionsOptions): ServerSessions {
  const { pool, durability = 'process-crash' } = options;
  const prefix = checkPrefix('postgresSessions', options.prefix ?? 'vitrine_');
  const { query, close } = preparedQueries(pool, sessionStatements(prefix), durability);
  return serverSessions((ownerId, limits) => postgresRows(query, ownerId, durability, limits ?? null), close);
}
