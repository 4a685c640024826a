import { AgentError } from '@vitrine/core';
import { type ServerSessions, serverSessions } from '../server-sessions.ts';
import { postgresRows } from './postgres-rows.ts';
import { type PostgresDurability, preparedQueries } from './prepared-queries.ts';
import type { SessionPool } from './session-pool.ts';
import { sessionStatements } from './session-statements.ts';

/** Where sessions are written. */
export type PostgresSessionsOptions = {
  /** A `Pool` of the package `pg`. It stays yours to close. */
  readonly pool: SessionPool;
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
 * Keeps the sessions of many servers in PostgreSQL (13 or newer). Its three tables are made when it is first used. A
 * write is one statement and so one transaction, which compares what is stored with what is expected.
 * @throws AgentError `agent-invalid` for a prefix that is no plain name.
 */
export function postgresSessions(options: PostgresSessionsOptions): ServerSessions {
  const { pool, prefix = 'vitrine_', durability = 'process-crash' } = options;
  if (!/^[a-z_][a-z0-9_]{0,30}$/.test(prefix)) {
    const message = `postgresSessions: the prefix ${JSON.stringify(prefix)} is no name of small letters, digits and "_". Give one of at most 31 characters.`;
    throw new AgentError('agent-invalid', message);
  }
  const { query, close } = preparedQueries(pool, sessionStatements(prefix), durability);
  return serverSessions((ownerId) => postgresRows(query, ownerId, durability), close);
}
