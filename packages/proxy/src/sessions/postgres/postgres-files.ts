import type { BlobRows } from '@vitrine/core/stores';
import type { SessionQuery } from './prepared-queries.ts';

/** The files of one owner in PostgreSQL, with a limit of bytes; null is no limit. */
export function postgresFiles(query: SessionQuery, owner: string, mostBytes: number | null): BlobRows {
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
