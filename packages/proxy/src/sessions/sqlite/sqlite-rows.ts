import type { BlobRows } from '@vitrine/core/stores';
import { type OwnerLimits, readByPages, type RowPages, type ServerRows } from '../row-pages.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/** The rows of one owner in SQLite, with one transaction per write, in a worker thread. */
export function sqliteRows({ ask }: SqliteThread, owner: string, limits: OwnerLimits | null): ServerRows {
  const pages: RowPages = {
    headsPage: (after) => ask('heads', [owner, after]),
    sessionPage: (id, at) => ask('page', [owner, id, at]),
    rowsPage: (id, names) => ask('rows', [owner, id, names]),
  };
  const blobs: BlobRows = {
    put: (id, file) => ask('putFile', [owner, id, file, limits, Date.now()]),
    get: (hash) => ask('getFile', [owner, hash]),
  };
  return {
    durability: 'process-crash',
    blobs,
    ...pages,
    ...readByPages(pages),
    head: (id) => ask('head', [owner, id]),
    write: (id, wanted) => ask('write', [owner, id, { ...wanted, put: new Map() }, limits], wanted.put),
    append: (id, wanted) => ask('append', [owner, id, { ...wanted, put: new Map() }, limits], wanted.put),
    remove: (id, expected) => ask('remove', [owner, id, expected]),
  };
}
