import { AgentError } from '@vitrine/core';
import type { PostgresPool } from '../../kit/postgres.ts';
import { SessionQuotaError } from '../session-quota.ts';
import { quotaCodes } from './session-functions.ts';
import type { SessionStatement } from './session-statements.ts';

/** Failures that PostgreSQL can be configured to survive. */
export type PostgresDurability = 'process-crash' | 'replicated';

/** Runs one of the statements. */
export type SessionQuery = (
  name: SessionStatement,
  ...values: unknown[]
) => Promise<readonly Record<string, unknown>[]>;

/** Runs queries after creating the tables with the first one, which also checks the promised durability. */
export function preparedQueries(
  pool: Pick<PostgresPool, 'query'>,
  statements: Readonly<Record<SessionStatement, string>>,
  durability: PostgresDurability,
): { readonly query: SessionQuery; readonly close: () => Promise<void> } {
  let preparing: Promise<void> | null = null;
  let isClosed = false;

  async function prepare(): Promise<void> {
    const { rows } = await pool.query(statements.settings);
    checkDurability(durability, String(rows[0]?.['commit']), String(rows[0]?.['standbys']));
    await pool.query(statements.setup);
  }

  return {
    async query(name, ...values) {
      if (isClosed)
        throw new AgentError(
          'session-storage',
          'These sessions in PostgreSQL are closed. Create a new store to use them again.',
        );
      preparing ??= prepare();
      await preparing.catch((error: unknown) => {
        // A database that was unreachable is asked again.
        preparing = null;
        throw error;
      });
      return (await pool.query(statements[name], values).catch(refused)).rows;
    },
    async close() {
      isClosed = true;
    },
  };
}

/** @throws AgentError `session-storage` where the database does not keep what the store would promise. */
function checkDurability(durability: PostgresDurability, commit: string, standbys: string): void {
  if (commit === 'off') {
    const message =
      'This PostgreSQL answers before it has written (synchronous_commit = off): a crash would lose sessions. Set it to on, for this role if not for all.';
    throw new AgentError('session-storage', message);
  }
  if (durability === 'replicated' && (standbys === '' || commit === 'local')) {
    const message = `postgresSessions: the durability "replicated" does not hold for this PostgreSQL (synchronous_standby_names = ${JSON.stringify(standbys)}, synchronous_commit = ${commit}). Set up a synchronous standby, or leave the option out.`;
    throw new AgentError('session-storage', message);
  }
}

/** @throws SessionQuotaError for what the functions of sessions have raised, and anything else as it is. */
function refused(error: unknown): never {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'VT001' || code === 'VT002') throw new SessionQuotaError(quotaCodes[code], { cause: error });
  throw error;
}
