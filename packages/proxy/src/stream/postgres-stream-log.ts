import { checkPrefix, type PostgresPool, untilPrepared } from '../kit/postgres.ts';
import {
  forgottenAfterMs,
  indexOf,
  createStreamListeners,
  logLimits,
  pageOf,
  pageBytes,
  type StreamHead,
  type StreamHint,
  type StreamLog,
  type StreamLogLimits,
} from './stream-log.ts';

/** Options of {@link postgresStreamLog}. */
export type PostgresStreamLogOptions = StreamLogLimits & {
  /** A `Pool` of the package `pg`. The caller closes it, after the log. */
  readonly pool: PostgresPool;
  /** The beginning of all table names: lower-case letters, digits and `_`. Default: `vitrine_`. */
  readonly prefix?: string;
};

/**
 * Keeps streams in PostgreSQL (13 or newer), so that any proxy process can resume them. The first use creates its three
 * tables. One connection of the pool is kept for hints.
 * @throws AgentError `agent-invalid` for a prefix that is no plain name.
 */
export function postgresStreamLog(options: PostgresStreamLogOptions): StreamLog {
  const { pool } = options;
  const prefix = checkPrefix('postgresStreamLog', options.prefix ?? 'vitrine_');
  const { finishedBytes, finishedMs } = logLimits(options);
  const statements = postgresStatements(prefix);
  const hints = createPostgresHints(pool, `${prefix}streams`);
  const prepare = untilPrepared(() => pool.query(statements.setup));

  async function rowsOf(name: keyof typeof statements, ...values: unknown[]): Promise<readonly Row[]> {
    await prepare();
    return (await pool.query(statements[name], values)).rows as readonly Row[];
  }

  return {
    async create(id, { ownerId, leaseMs, digest = null }) {
      await rowsOf('sweep');
      return (await rowsOf('create', id, ownerId, leaseMs, forgottenAfterMs, digest)).length === 1;
    },
    async append(id, entries, { ends = false, onlyIfAbandoned = false } = {}) {
      const keptMs = ends ? finishedMs : forgottenAfterMs;
      const [written] = await rowsOf('append', id, entries, ends, onlyIfAbandoned, keptMs);
      // The end is written even if making room fails; the next stream that ends makes room as well.
      if (written !== undefined && ends) await rowsOf('makeRoom', finishedBytes).catch(() => undefined);
      return written !== undefined;
    },
    async read(id, after) {
      const last = indexOf(after);
      const rows = await rowsOf('read', id, last ?? 0, pageBytes);
      const [first] = rows;
      if (first === undefined) return 'unknown';
      if (last === null || last >= first.count) return 'offset-invalid';
      const texts = rows.flatMap(({ data }) => data ?? []);
      return pageOf(texts, { ...first, after: last });
    },
    head: async (id) => (await rowsOf('head', id))[0] ?? null,
    renew: async (id, leaseMs) => (await rowsOf('renew', id, leaseMs, forgottenAfterMs))[0] ?? null,
    async attend(id, readerId, leaseMs) {
      if (leaseMs > 0) await rowsOf('attend', id, readerId, leaseMs);
      else await rowsOf('leave', id, readerId);
    },
    watch: hints.watch,
    close: hints.close,
  };
}

/** A row of any of the statements; each has the columns of its statement. */
type Row = StreamHead & { readonly count: number; readonly data: string | null };

/** Notifications of one channel, over one connection. The payload is `<hint>:<id>`. A hint may be lost; readers poll. */
export function createPostgresHints(pool: PostgresPool, channel: string): Pick<StreamLog, 'watch' | 'close'> {
  const listeners = createStreamListeners();
  let connecting: Promise<() => void> | null = null;

  function receive({ payload = '' }: { readonly payload?: string | undefined }): void {
    const at = payload.indexOf(':');
    listeners.notify(payload.slice(at + 1), payload.slice(0, at) as StreamHint);
  }

  /** Connects and returns the function that releases the connection. `onLost` may be called more than once. */
  async function connect(onLost: () => void): Promise<() => void> {
    const connection = await pool.connect();
    let isReleased = false;
    const release = (): void => {
      // A pool throws when a connection is released twice; a broken connection emits an error and later its end.
      if (!isReleased) connection.release(true);
      isReleased = true;
    };
    for (const event of ['error', 'end'] as const) {
      connection.on(event, () => {
        onLost();
        release();
      });
    }
    connection.on('notification', receive);
    try {
      await connection.query(`LISTEN ${channel}`);
    } catch (error) {
      release();
      throw error;
    }
    // Changes before this moment were not heard.
    listeners.notifyAll();
    return release;
  }

  function listen(): void {
    if (connecting !== null) return;
    // A new connection may be open by the time that the end of this one is reported.
    const onLost = (): void => {
      if (connecting === opening) connecting = null;
    };
    const opening = connect(onLost);
    connecting = opening;
    opening.catch(onLost);
  }

  return {
    watch(id, listener) {
      const leave = listeners.add(id, listener);
      listen();
      return leave;
    },
    async close() {
      listeners.clear();
      const release = await connecting?.catch(() => null);
      connecting = null;
      release?.();
    },
  };
}

/** The statements of a log whose tables have a prefix. Each is one atomic change; times are the database's. */
function postgresStatements(prefix: string) {
  const [streams, entries, readers] = [
    `${prefix}streams`,
    `${prefix}stream_entries`,
    `${prefix}stream_readers`,
  ];
  const in_ = (parameter: string): string =>
    `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;
  const notify = (hint: string): string => `pg_notify('${streams}', '${hint}:' || $1::text)`;
  // A slow reader still needs the end of its stream.
  const isRead = `EXISTS (SELECT FROM ${readers} WHERE stream_id = id AND lease_until > clock_timestamp())`;
  const alive = `id = $1 AND (expires_at > clock_timestamp() OR ${isRead})`;
  const state = `ended AS "isEnded", NOT ended AND lease_until <= clock_timestamp() AS "isAbandoned"`;
  const head = `owner_id AS "ownerId", digest, ${state}, (
    SELECT count(*)::int FROM ${readers} WHERE stream_id = id AND lease_until > clock_timestamp()) AS readers`;
  return {
    setup: `
      SELECT pg_advisory_xact_lock(hashtext('${streams}'));
      CREATE TABLE IF NOT EXISTS ${streams} (
        id text PRIMARY KEY, owner_id text, ended boolean NOT NULL DEFAULT false, next int NOT NULL DEFAULT 0,
        bytes bigint NOT NULL DEFAULT 0, lease_until timestamptz NOT NULL, expires_at timestamptz NOT NULL);
      ALTER TABLE ${streams} ADD COLUMN IF NOT EXISTS digest text;
      CREATE INDEX IF NOT EXISTS ${streams}_expiry ON ${streams} (expires_at);
      CREATE TABLE IF NOT EXISTS ${entries} (
        stream_id text REFERENCES ${streams} ON DELETE CASCADE, index int, data text NOT NULL,
        PRIMARY KEY (stream_id, index));
      CREATE TABLE IF NOT EXISTS ${readers} (
        stream_id text REFERENCES ${streams} ON DELETE CASCADE, reader_id text, lease_until timestamptz NOT NULL,
        PRIMARY KEY (stream_id, reader_id));`,
    sweep: `DELETE FROM ${streams} WHERE id IN (
      SELECT id FROM ${streams} WHERE expires_at <= clock_timestamp() AND NOT ${isRead} FOR UPDATE SKIP LOCKED)`,
    create: `INSERT INTO ${streams} (id, owner_id, lease_until, expires_at, digest)
      VALUES ($1, $2, ${in_('$3')}, ${in_('$4')}, $5) ON CONFLICT (id) DO NOTHING RETURNING id`,
    append: `
      WITH stream AS (
        UPDATE ${streams} SET next = next + cardinality($2::text[]), ended = $3, expires_at = ${in_('$5')},
          bytes = bytes + (SELECT coalesce(sum(octet_length(data)), 0) FROM unnest($2::text[]) AS data)
        WHERE ${alive} AND NOT ended AND (NOT $4::boolean OR lease_until <= clock_timestamp())
        RETURNING next - cardinality($2::text[]) AS first
      ), written AS (
        INSERT INTO ${entries} (stream_id, index, data)
        SELECT $1, first + number - 1, data FROM stream, unnest($2::text[]) WITH ORDINALITY AS entry (data, number)
      )
      SELECT ${notify('entries')}, CASE WHEN $3 THEN ${notify('state')} END FROM stream`,
    makeRoom: `DELETE FROM ${streams} WHERE ended AND id IN (
      SELECT id FROM (
        SELECT id, age, sum(bytes) OVER (ORDER BY age > 1, is_read DESC, age) AS total FROM (
          SELECT id, bytes, ${isRead} AS is_read, row_number() OVER (ORDER BY expires_at DESC, id) AS age
          FROM ${streams} WHERE ended
        ) AS ended_ones
      ) AS kept WHERE total > $1 AND age > 1)`,
    read: `
      SELECT next AS count, ${state}, entry.index, entry.data
      FROM ${streams} LEFT JOIN LATERAL (
        SELECT index, data FROM (
          SELECT index, data, sum(octet_length(data)) OVER (ORDER BY index) - octet_length(data) AS before
          FROM (SELECT index, data FROM ${entries} WHERE stream_id = $1 AND index > $2 ORDER BY index LIMIT 512) AS behind
        ) AS counted WHERE before < $3
      ) AS entry ON true WHERE ${alive} ORDER BY entry.index`,
    head: `SELECT ${head} FROM ${streams} WHERE ${alive}`,
    renew: `
      WITH renewed AS (
        UPDATE ${streams} SET lease_until = ${in_('$2')}, expires_at = ${in_('$3')} WHERE ${alive} AND NOT ended
        RETURNING id
      )
      SELECT "ownerId", digest, "isEnded", "isAbandoned" AND NOT EXISTS (SELECT FROM renewed) AS "isAbandoned", readers
      FROM (SELECT ${head} FROM ${streams} WHERE ${alive}) AS known`,
    attend: `
      WITH reader AS (
        INSERT INTO ${readers} (stream_id, reader_id, lease_until)
        SELECT id, $2, ${in_('$3')} FROM ${streams} WHERE ${alive}
        ON CONFLICT (stream_id, reader_id) DO UPDATE SET lease_until = excluded.lease_until RETURNING xmax = 0 AS is_new
      )
      SELECT ${notify('state')} FROM reader WHERE is_new`,
    leave: `
      WITH reader AS (DELETE FROM ${readers} WHERE stream_id = $1 AND reader_id = $2 RETURNING stream_id)
      SELECT ${notify('state')} FROM reader`,
  };
}
