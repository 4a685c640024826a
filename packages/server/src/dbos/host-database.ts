import { inStorage, rowBytes } from '../host/owner-limits.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { SessionAddress } from '../host/session-host.ts';

/** A row as PostgreSQL gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement. @returns its rows */
export type Rows = (sql: string, values?: unknown[]) => Promise<readonly Row[]>;

/** The tables of a host, beside those of the sessions in one database. */
export type HostDatabase = ReturnType<typeof openHostDatabase>;

/** The clock of the database in milliseconds, as an SQL expression. */
export const now = '(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** A wake-up stays until a run has ended without work left. Numbers are never used twice, so epochs only grow. */
export const tables = `
  CREATE TABLE IF NOT EXISTS vitrine_host_commands (
    n bigint GENERATED ALWAYS AS IDENTITY, owner text, agent text NOT NULL, session text, id text,
    command text NOT NULL, given_by text NOT NULL, at bigint NOT NULL, answer text, PRIMARY KEY (owner, session, id));
  CREATE INDEX IF NOT EXISTS vitrine_host_commands_in_order ON vitrine_host_commands (owner, session, n);
  CREATE INDEX IF NOT EXISTS vitrine_host_commands_waiting ON vitrine_host_commands (owner, session) WHERE answer IS NULL;
  CREATE TABLE IF NOT EXISTS vitrine_host_wakes (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, agent text NOT NULL, session text NOT NULL,
    at bigint NOT NULL, is_command boolean NOT NULL, epoch bigint, workflow text, version text);
  CREATE INDEX IF NOT EXISTS vitrine_host_wakes_of_session ON vitrine_host_wakes (owner, session);
  CREATE INDEX IF NOT EXISTS vitrine_host_wakes_by_time ON vitrine_host_wakes (at);
  CREATE TABLE IF NOT EXISTS vitrine_host_epochs (
    epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, session text NOT NULL,
    has_ended boolean NOT NULL DEFAULT false, journal text, record bigint);
  ALTER TABLE vitrine_host_epochs ADD COLUMN IF NOT EXISTS deaths integer NOT NULL DEFAULT 0;
  CREATE INDEX IF NOT EXISTS vitrine_host_epochs_of_session ON vitrine_host_epochs (owner, session, epoch);
  CREATE TABLE IF NOT EXISTS vitrine_host_effects (
    owner text, session text, execution text, key text, outcome text, PRIMARY KEY (owner, session, execution, key));
  CREATE TABLE IF NOT EXISTS vitrine_host_executors (
    id text PRIMARY KEY, name text NOT NULL, version text NOT NULL, lock bigint NOT NULL, beat timestamptz NOT NULL);`;

/** The tables whose rows have texts that change, and those that count the same always. */
const counted = { texts: ['commands', 'effects'], rows: ['wakes', 'epochs'] };

/** Counts each row of a host for its owner, where the rows of sessions are counted, and what was there before. */
export const counting = `
  CREATE OR REPLACE FUNCTION vitrine_count_host_row() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE
    fixed boolean := TG_NARGS > 0; grown bigint := 0; whose text; BEGIN
    IF TG_OP <> 'INSERT' THEN
      whose := OLD.owner; grown := - ${rowBytes} - CASE WHEN fixed THEN 0 ELSE octet_length(OLD::text) END;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      whose := NEW.owner; grown := grown + ${rowBytes} + CASE WHEN fixed THEN 0 ELSE octet_length(NEW::text) END;
    END IF;
    INSERT INTO vitrine_session_usage AS used (owner, sessions, bytes) VALUES (whose, 0, greatest(0, grown))
    ON CONFLICT (owner) DO UPDATE SET bytes = greatest(0, used.bytes + grown);
    RETURN NULL;
  END $$;
  ${counted.texts.map((name) => countingOf(name, 'INSERT OR UPDATE OR DELETE', '')).join('')}
  ${counted.rows.map((name) => countingOf(name, 'INSERT OR DELETE', `'row'`)).join('')}`;

function countingOf(name: string, changes: string, fixed: string): string {
  const table = `vitrine_host_${name}`;
  const size = `${rowBytes}${fixed === '' ? ` + octet_length(kept::text)` : ''}`;
  return `
  INSERT INTO vitrine_session_usage AS used (owner, sessions, bytes)
    SELECT owner, 0, sum(${size}) FROM ${table} AS kept GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET bytes = used.bytes + excluded.bytes;
  CREATE TRIGGER vitrine_counted AFTER ${changes} ON ${table}
    FOR EACH ROW EXECUTE FUNCTION vitrine_count_host_row(${fixed});`;
}

/** The pause before a lock is asked for again, in milliseconds. */
const lockMs = 100;

/** Opens connections. The database ends a transaction, and its locks, that a stopped process leaves for `idleMs`. */
export function openPool(url: string, name: string, idleMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: 12,
    idle_in_transaction_session_timeout: idleMs,
  });
  // A connection may be ended at any time; the call that uses it rejects.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return pool;
}

export function openHostDatabase(url: string, name: string, idleMs: number) {
  const pool = openPool(url, name, idleMs);
  const rows: Rows = (sql, values) =>
    inDatabase(async () => (await pool.query<Row>(preparedQuery(sql, values))).rows);

  /** Runs work in a transaction that begins with a statement, both in one round trip. */
  async function inTransaction<Value>(
    first: string,
    work: (connection: pg.PoolClient) => Promise<Value>,
  ): Promise<Value> {
    const connection = await pool.connect();
    let isBroken = false;
    try {
      await connection.query(`BEGIN; ${first}`);
      const value = await work(connection);
      await connection.query('COMMIT');
      return value;
    } catch (thrown) {
      await connection.query('ROLLBACK').catch(() => (isBroken = true));
      throw thrown;
    } finally {
      connection.release(isBroken);
    }
  }

  return {
    pool,
    rows,
    /** Changes rows of a session in one transaction. Changes of one session wait for each other. */
    change: <Value>(
      { owner, sessionId }: Pick<SessionAddress, 'owner' | 'sessionId'>,
      change: (rows: Rows, connection: pg.PoolClient) => Promise<Value>,
    ): Promise<Value> =>
      inDatabase(() =>
        inTransaction(lockOf(owner, sessionId), (connection) =>
          change(
            async (sql, values) => (await connection.query<Row>(preparedQuery(sql, values))).rows,
            connection,
          ),
        ),
      ),
    /** Runs a query with one value if an epoch goes on, in one transaction; else resolves with null. */
    async inEpoch(epoch: number, sql: string, values: readonly unknown[]): Promise<Row | null> {
      // The row stays locked until the value is written, so that nobody ends the epoch meanwhile.
      const goesOn = `SELECT FROM vitrine_host_epochs WHERE epoch = $${values.length + 1} AND NOT has_ended FOR SHARE`;
      const guarded = `SELECT CASE WHEN EXISTS (${goesOn}) THEN (${sql}) END AS done`;
      const { rows } = await pool.query<Row>(preparedQuery(guarded, [...values, epoch]));
      return rows.find(({ done }) => done !== null) ?? null;
    },
    /** Runs work that must not run in two processes at once. */
    async alone(work: () => Promise<unknown>): Promise<void> {
      const connection = await pool.connect();
      try {
        // Asked again and again: an open statement that waits would hold up an index that DBOS builds concurrently.
        const ask = "SELECT pg_try_advisory_lock(hashtextextended('vitrine_host', 24)) AS is_mine";
        while ((await connection.query<Row>(ask)).rows[0]?.['is_mine'] !== true) await sleep(lockMs);
        await work();
      } finally {
        // The lock ends with its connection.
        connection.release(true);
      }
    },
    close: (): Promise<void> => pool.end(),
  };
}

/** The names of prepared queries by their texts, of which there are some dozens. */
const names = new Map<string, string>();

/** A query that each connection prepares once: most of the time of a small one goes into its plan. */
export function preparedQuery(text: string, values?: readonly unknown[]): pg.QueryConfig {
  // Without values it may be several statements, which cannot be prepared.
  if (values === undefined) return { text };
  const name = names.get(text) ?? `vitrine ${names.size}`;
  names.set(text, name);
  return { name, text, values: [...values] };
}

function lockOf(owner: string, sessionId: string): string {
  const key = pg.escapeLiteral(JSON.stringify([owner, sessionId]));
  return `SELECT pg_advisory_xact_lock(hashtextextended(${key}, 24))`;
}

/** Runs work in the database. @throws AgentError `session-storage` with the reason of the database */
export function inDatabase<Value>(work: () => Promise<Value>): Promise<Value> {
  const advice = 'See that the database runs and has room, and that its role may create tables.';
  return inStorage(`The host in PostgreSQL failed`, advice, work);
}
