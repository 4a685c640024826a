import { AgentError } from '@vitrine/core';
import { type ServerSessions, serverSessions } from '../server-sessions.ts';
import { type SqliteThread, type SqliteThreads, sqliteThreads } from './sqlite-thread.ts';
import type { BlobRows } from '@vitrine/core/stores';
import { type OwnerLimits, readByPages, type RowPages, type ServerRows } from '../row-pages.ts';

/** Options of {@link sqliteSessions}. */
export type SqliteSessionsOptions = {
  /** The file, which is created when it does not exist; its folder must exist. `:memory:` keeps nothing. */
  readonly path: string;
};

/**
 * Keeps the sessions of a server in one SQLite file, by the `node:sqlite` of Node 22.13 or newer (22.5 with
 * `--experimental-sqlite`), without a package. A write is one transaction in a write-ahead log that is synced before it
 * resolves (`synchronous = FULL`). It survives a killed process (`process-crash`); a power cut depends on the disk.
 * Deleted data are overwritten in the file and removed from its log. Several processes of one machine may share the
 * file and wait up to 5 s for each other; network drives are unsuitable. Queries run in a worker thread, one for all
 * files, so that no stream waits for a disk. A reserve beside the file (`…-reserve`, 4 MiB and twice the largest write)
 * allows sessions to be deleted on a full disk. Without `node:sqlite` every call rejects with AgentError
 * `session-storage`.
 */
export function sqliteSessions({ path }: SqliteSessionsOptions): ServerSessions {
  return sessionsInThread(path, sqliteThreads);
}

/** The sessions of a file, which a thread works on. */
export function sessionsInThread(path: string, threads: SqliteThreads): ServerSessions {
  const thread = threads.open(path);
  let closing: Promise<void> | null = null;
  const open: SqliteThread = {
    async ask(...asked) {
      if (closing)
        throw new AgentError(
          'session-storage',
          `The sessions in ${path} are closed. Create a new store to use them again.`,
        );
      return thread.ask(...asked);
    },
  };
  return serverSessions(
    (ownerId, limits) => sqliteRows(open, ownerId, limits ?? null),
    () => (closing ??= thread.ask('close', [])),
  );
}

/** The rows of one owner in SQLite, with one transaction per write, in a worker thread. */
function sqliteRows({ ask }: SqliteThread, owner: string, limits: OwnerLimits | null): ServerRows {
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
