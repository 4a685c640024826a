import type { StoredHead, BlobRows } from '@vitrine/core/stores';
import { type OwnerLimits, readByPages, type ServerRows } from '../row-pages.ts';
import { postgresPages } from './postgres-pages.ts';
import type { PostgresDurability, SessionQuery } from './prepared-queries.ts';

/** The rows of one owner in PostgreSQL, with one transaction per write. */
export function postgresRows(
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
