import type { BlobRows } from '@vitrine/core/stores';
import type { SessionQuery } from './prepared-queries.ts';

/** The files of one owner in PostgreSQL. */
export function postgresFiles(query: SessionQuery, owner: string): BlobRows {
  return {
    async put(id, { hash, bytes, mediaType }) {
      await query('sweepFiles');
      await query('putFile', owner, id, hash, mediaType, new Uint8Array(bytes));
    },
    async get(hash) {
      const [found] = await query('getFile', owner, hash);
      // A driver that gives something else than bytes gives no file.
      if (!(found?.['bytes'] instanceof Uint8Array)) return null;
      return { bytes: new Uint8Array(found['bytes']).buffer, mediaType: String(found['type']) };
    },
  };
}
