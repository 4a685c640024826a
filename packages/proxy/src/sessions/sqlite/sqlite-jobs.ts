import type { RowAppend, RowWrite, StoredHead } from '@vitrine/persist';
import type { BlobRow, HeadsPage, NamedRows, OwnerLimits, SessionCursor, SessionPage } from '../row-pages.ts';
import {
  openSqlite,
  type OpenSqlite,
  type SqliteQueries,
  type SqliteRow,
  type SqliteStatement,
} from './open-sqlite.ts';
import {
  appendToSession,
  eraseFile,
  erasePiece,
  findLooseFiles,
  readFile,
  type Leftovers,
  type LooseFile,
  pieceBytes,
  putFile,
  removeSession,
  writeSession,
} from './sqlite-writes.ts';
import { readHead, readHeads, readPage, readRows } from './sqlite-reads.ts';

/** Jobs on the sessions of one file, which a thread runs by name. */
export type SqliteJobs = {
  readonly heads: (owner: string, after: string | null) => HeadsPage;
  readonly head: (owner: string, id: string) => StoredHead | null;
  readonly page: (owner: string, id: string, at: SessionCursor | null) => SessionPage | 'changed' | null;
  readonly rows: (owner: string, id: string, names: readonly string[]) => NamedRows;
  readonly write: (owner: string, id: string, write: RowWrite, limits: OwnerLimits | null) => boolean;
  readonly append: (owner: string, id: string, append: RowAppend, limits: OwnerLimits | null) => boolean;
  readonly remove: (owner: string, id: string, expected: StoredHead | undefined) => boolean;
  readonly putFile: (
    owner: string,
    id: string,
    file: BlobRow & { readonly hash: string },
    limits: OwnerLimits | null,
    now: number,
  ) => void;
  readonly getFile: (owner: string, hash: string) => BlobRow | null;
  readonly change: (
    statements: readonly SqliteStatement[],
    isSynced: boolean,
    frees: boolean,
  ) => readonly (readonly SqliteRow[])[];
  readonly together: OpenSqlite['together'];
  readonly close: () => void;
};

/** Opens the file at a path and finishes an interrupted erasure. */
export function sqliteJobs(path: string): SqliteJobs {
  const database = openSqlite(path);
  const { read, write, reserve } = database;
  const eraser = createEraser(database);
  eraser.eraseOld();

  const growing = createGrowth(database);

  /** Runs a change that deletes; on a full disk it gets the space of the reserve. */
  function takeAway(change: (queries: SqliteQueries) => Leftovers): boolean {
    let left: Leftovers = null;
    const run = (): boolean => write((queries) => (left = change(queries)) !== null);
    const isDone = withRoom(run);
    eraser.erase(left);
    return isDone;
  }

  /** Runs a change, again with the space of the reserve when the disk is full. */
  function withRoom<Value>(run: () => Value): Value {
    try {
      return run();
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown;
      reserve.release();
      return run();
    }
  }

  return {
    heads: (owner, after) => read((queries) => readHeads(queries, owner, after)),
    head: (owner, id) => read((queries) => readHead(queries, owner, id)),
    page: (owner, id, at) => read((queries) => readPage(queries, owner, id, at)),
    rows: (owner, id, names) => read((queries) => readRows(queries, owner, id, names)),
    write(owner, id, wanted, limits) {
      const change = (queries: SqliteQueries): Leftovers => writeSession(queries, owner, id, wanted, limits);
      if (wanted.put.size === 0 && wanted.expected !== null) return takeAway(change);
      let left: Leftovers = null;
      const isDone = growing(sizeOf(wanted.put.values()), (queries) => (left = change(queries)) !== null);
      eraser.erase(left);
      return isDone;
    },
    append(owner, id, wanted, limits) {
      const change = (queries: SqliteQueries): boolean => appendToSession(queries, owner, id, wanted, limits);
      return growing(sizeOf([wanted.record ?? '', ...(wanted.put?.values() ?? [])]), change);
    },
    remove: (owner, id, expected) => takeAway((queries) => removeSession(queries, owner, id, expected)),
    putFile(owner, id, file, limits, now) {
      let old: readonly LooseFile[] = [];
      growing(file.bytes.byteLength, (queries) => {
        old = putFile(queries, { owner, id, file, limits, now });
        return true;
      });
      eraser.erase({ sessions: false, files: old });
    },
    getFile: (owner, hash) => read((queries) => readFile(queries, owner, hash)),
    change(statements, isSynced, frees) {
      const run = (): readonly (readonly SqliteRow[])[] => changeRows(database, statements, isSynced);
      if (!frees || database.isWriting()) return run();
      try {
        return withRoom(run);
      } finally {
        reserve.restore();
      }
    },
    together: database.together,
    close: database.close,
  };
}

/**
 * Creates the way of changes that add bytes. It makes sure that the disk has room to delete them again: the reserve is large
 * enough, and all earlier changes but a mebibyte are in the file and no longer in its log.
 */
function createGrowth({
  reserve,
  write,
  checkpoint,
  isWriting,
}: OpenSqlite): (bytes: number, change: (queries: SqliteQueries) => boolean) => boolean {
  let sinceCheckpoint = 0;
  return (bytes, change) => {
    reserve.grow(bytes);
    if (sinceCheckpoint > pieceBytes && !isWriting()) {
      checkpoint();
      sinceCheckpoint = 0;
    }
    const isDone = write(change);
    sinceCheckpoint += bytes;
    return isDone;
  };
}

function changeRows(
  { write, changeUnsynced }: OpenSqlite,
  statements: readonly SqliteStatement[],
  isSynced: boolean,
): readonly (readonly SqliteRow[])[] {
  let rows: readonly (readonly SqliteRow[])[] = [];
  const change = (): boolean =>
    write(({ all }) => {
      rows = statements.map(({ sql, values = [] }) => all(sql, ...values));
      return true;
    });
  if (isSynced) change();
  else changeUnsynced(change);
  return rows;
}

function sizeOf(texts: Iterable<string>): number {
  let size = 0;
  for (const text of texts) size += Buffer.byteLength(text);
  return size;
}

/** Erases deleted data in pieces of about a mebibyte, and empties the log after each. */
type Eraser = {
  readonly erase: (left: Leftovers) => void;
  /** Erases leftovers of another process, or of a full disk. Never throws. */
  readonly eraseOld: () => void;
};

/** SQLite's code for a full disk. */
const full = 13;

/** True for the error of a full disk. */
export function isFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === full;
}

/** The eraser of a database. */
function createEraser(database: OpenSqlite): Eraser {
  const { read, write, emptyLog, reserve } = database;

  /** Empties the log after each piece, so that the log needs the space of one piece only. */
  function pieces(files: readonly LooseFile[]): void {
    while (write(erasePiece)) emptyLog();
    for (const file of files) if (write((queries) => eraseFile(queries, file))) emptyLog();
  }

  function erase(left: Leftovers): void {
    if (left === null || (!left.sessions && left.files.length === 0)) return;
    try {
      emptyLog();
      pieces(left.files);
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown;
      reserve.release();
      emptyLog();
      pieces(left.files);
    }
    emptyLog();
    reserve.restore();
  }

  return {
    erase,
    eraseOld() {
      try {
        erase({ sessions: true, files: read(findLooseFiles) });
      } catch {
        // The next erasure tries again.
      }
    },
  };
}
