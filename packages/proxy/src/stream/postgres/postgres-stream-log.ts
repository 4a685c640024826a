import { checkPrefix, type PostgresPool } from '../../kit/postgres.ts';
import {
  logLimits,
  forgottenAfterMs,
  indexOf,
  pageBytes,
  type StreamEntry,
  type StreamHead,
  type StreamHint,
  type StreamLog,
  type StreamLogLimits,
  type StreamPage,
} from '../stream-log.ts';
import { createPostgresHints } from './postgres-hints.ts';
import { postgresStatements } from './postgres-statements.ts';

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
  let preparing: Promise<unknown> | null = null;

  async function rowsOf(name: keyof typeof statements, ...values: unknown[]): Promise<readonly Row[]> {
    preparing ??= pool.query(statements.setup);
    await preparing.catch((error: unknown) => {
      // A database that was unreachable is asked again.
      preparing = null;
      throw error;
    });
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
      return last === null || last >= first.next ? 'offset-invalid' : pageOf(rows, first, last);
    },
    head: async (id) => headOf(await rowsOf('head', id)),
    renew: async (id, leaseMs) => headOf(await rowsOf('renew', id, leaseMs, forgottenAfterMs)),
    async attend(id, readerId, leaseMs) {
      if (leaseMs > 0) await rowsOf('attend', id, readerId, leaseMs);
      else await rowsOf('leave', id, readerId);
    },
    watch: (id, listener) => hints.watch(id, (hint) => listener(hint as StreamHint)),
    close: hints.close,
  };
}

/** A row of any of the statements; each has the columns of its statement. */
type Row = {
  readonly next: number;
  readonly ended: boolean;
  readonly abandoned: boolean;
  readonly owner_id: string | null;
  readonly digest: string | null;
  readonly readers: number;
  readonly index: number | null;
  readonly data: string | null;
};

function headOf([row]: readonly Row[]): StreamHead | null {
  if (row === undefined) return null;
  const { owner_id: ownerId, digest, ended: isEnded, abandoned: isAbandoned, readers } = row;
  return { ownerId, digest, isEnded, isAbandoned, readers };
}

function pageOf(rows: readonly Row[], { next, ended, abandoned }: Row, last: number): StreamPage {
  const entries = rows.flatMap(({ index, data }): StreamEntry[] =>
    index === null || data === null ? [] : [{ offset: `${index}`, index, data }],
  );
  const hasMore = last + 1 + entries.length < next;
  return { entries, hasMore, isEnd: ended && !hasMore, isAbandoned: abandoned };
}
