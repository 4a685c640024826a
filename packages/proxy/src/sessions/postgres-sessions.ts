import { checkPrefix, type PostgresPool, untilPrepared } from '../kit/postgres.ts';
import { type ServerSessions, serverSessions } from './server-sessions.ts';
import { quotaCodes, type SessionStatement, sessionStatements } from './postgres-statements.ts';
import type { BlobRows, StoredHead } from '@vitrine/persist';
import {
  type OwnerLimits,
  pageHeads,
  pageSize,
  readByPages,
  type RowPages,
  type ServerRows,
  type SessionPage,
  SessionQuotaError,
} from './row-pages.ts';
import { AgentError } from '@vitrine/core';

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

/** The rows of one owner in PostgreSQL, with one transaction per write. */
function postgresRows(
  query: SessionQuery,
  owner: string,
  durability: PostgresDurability,
  limits: OwnerLimits | null,
): ServerRows {
  const pages = postgresPages(query, owner);
  const [mostSessions, mostBytes] = [finite(limits?.sessions), finite(limits?.bytes)];
  const isDone = ([found]: readonly Readonly<Record<string, unknown>>[]): boolean => found?.['done'] === true;
  return {
    durability,
    blobs: postgresFiles(query, owner, mostBytes),
    ...pages,
    ...readByPages(pages),
    async head(id) {
      const [found] = await query('head', owner, id);
      return found === undefined ? null : headOf(found['head'], found['records']);
    },
    async write(id, { expected, head, put, drop, blobs = [] }) {
      const sent = [owner, id, head, [...put.keys()], [...put.values()], blobs];
      const on = [expected?.text ?? null, expected?.records ?? null, drop === 'rest' ? null : drop];
      return isDone(await query('write', ...sent, ...on, mostSessions, mostBytes));
    },
    async append(id, { expected, record, head, put = new Map(), drop = [], blobs = [] }) {
      const { text, records } = expected;
      const rows = [[...put.keys()], [...put.values()], drop, mostSessions];
      return isDone(await query('append', owner, id, head, record, text, records, blobs, mostBytes, ...rows));
    },
    remove: async (id, expected) =>
      isDone(await query('remove', owner, id, expected?.text ?? null, expected?.records ?? null)),
  };
}

function headOf(text: unknown, records: unknown): StoredHead {
  return { text: String(text), records: Number(records) };
}

/** A limit in PostgreSQL's form; null is none. */
function finite(limit: number | undefined): number | null {
  return limit === undefined || limit > Number.MAX_SAFE_INTEGER ? null : Math.floor(limit);
}

/** The files of one owner in PostgreSQL, with a limit of bytes; null is no limit. */
function postgresFiles(query: SessionQuery, owner: string, mostBytes: number | null): BlobRows {
  return {
    async put(id, { hash, bytes, mediaType }) {
      for (const { owner: stale } of await query('staleOwners')) await query('sweepFiles', stale);
      await query('putFile', owner, id, hash, mediaType, new Uint8Array(bytes), mostBytes);
    },
    async get(hash) {
      const [found] = await query('getFile', owner, hash);
      // A driver may return something else than bytes; then there is no file.
      if (!(found?.['bytes'] instanceof Uint8Array)) return null;
      return { bytes: new Uint8Array(found['bytes']).buffer, mediaType: String(found['type']) };
    },
  };
}

type Found = Readonly<Record<string, unknown>>;

/** The most rows or records that one statement reads. */
const pageEntries = 1000;

function postgresPages(query: SessionQuery, owner: string): RowPages {
  return {
    async headsPage(after) {
      const found = await query('heads', owner, after ?? '', pageSize, pageHeads);
      const heads = found.map(({ id, head, records }) => {
        return [String(id), { text: String(head), records: Number(records) }] as const;
      });
      const isLast = heads.length === Number(found[0]?.['count'] ?? 0) && heads.length < pageHeads;
      return { heads, next: isLast ? null : (heads.at(-1)?.[0] ?? null) };
    },
    async sessionPage(id, cursor) {
      const isOfRows = cursor === null || typeof cursor.at === 'string';
      const at = cursor?.at ?? '';
      const found = isOfRows
        ? await query('pageRows', owner, id, at, pageSize, pageEntries)
        : await query('pageRecords', owner, id, at, pageSize, pageEntries, cursor.records);
      const [first, ...entries] = found;
      if (first === undefined) return cursor === null ? null : 'changed';
      const from = cursor ?? { stamp: String(first['name']), records: Number(first['number']), at };
      if (from.stamp !== first['name']) return 'changed';
      const head = { text: String(first['text']), records: from.records };
      const hasMore = entries.length < Number(first['count']) || entries.length === pageEntries;
      const page: SessionPage = {
        head,
        rows: isOfRows ? entries.map(({ name, text }) => [String(name), String(text)] as const) : [],
        tail: isOfRows ? [] : entries.map(({ text }) => String(text)),
        next: null,
      };
      const next = isOfRows ? (hasMore ? String(entries.at(-1)?.['name']) : 0) : Number(at) + entries.length;
      if (isOfRows ? !hasMore && from.records === 0 : !hasMore) return page;
      return { ...page, next: { ...from, at: next } };
    },
    async rowsPage(id, names) {
      const asked = names.slice(0, pageEntries);
      const found = await query('rows', owner, id, asked, pageSize);
      const isWhole = found.length === Number(found[0]?.['count'] ?? 0);
      return {
        rows: found.map(({ name, text }: Found) => [String(name), String(text)] as const),
        rest: names.slice(isWhole ? asked.length : Number(found.at(-1)?.['at'])),
      };
    },
  };
}

/** Failures that PostgreSQL can be configured to survive. */
export type PostgresDurability = 'process-crash' | 'replicated';

type SessionQuery = (
  name: SessionStatement,
  ...values: unknown[]
) => Promise<readonly Record<string, unknown>[]>;

/** Runs queries after creating the tables with the first one, which also checks the promised durability. */
function preparedQueries(
  pool: Pick<PostgresPool, 'query'>,
  statements: Readonly<Record<SessionStatement, string>>,
  durability: PostgresDurability,
): { readonly query: SessionQuery; readonly close: () => Promise<void> } {
  let isClosed = false;

  const prepare = untilPrepared(async () => {
    const { rows } = await pool.query(statements.settings);
    checkDurability(durability, String(rows[0]?.['commit']), String(rows[0]?.['standbys']));
    await pool.query(statements.setup);
  });

  return {
    async query(name, ...values) {
      if (isClosed)
        throw new AgentError(
          'session-storage',
          'These sessions in PostgreSQL are closed. Create a new store to use them again.',
        );
      await prepare();
      return (await pool.query(statements[name], values).catch(throwRefusal)).rows;
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
function throwRefusal(error: unknown): never {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'VT001' || code === 'VT002') throw new SessionQuotaError(quotaCodes[code], { cause: error });
  throw error;
}
