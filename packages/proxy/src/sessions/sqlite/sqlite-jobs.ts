import type { BlobRow, RowAppend, RowWrite, StoredHead } from '@vitrine/persist';
import type { HeadsPage, NamedRows, OwnerLimits, SessionCursor, SessionPage } from '../row-pages.ts';
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
  pieceBytes,
  putFile,
  removeSession,
  type UploadedFile,
  writeSession,
} from './sqlite-writes.ts';
import { readHead, readHeads, readPage, readRows } from './sqlite-reads.ts';

/** Jobs on the sessions of one file, which a thread runs by name. */
export class SqliteJobs {
  readonly #database: OpenSqlite;
  #bytesSinceCheckpoint = 0;

  /** Opens the file at a path and finishes an interrupted erasure. */
  constructor(path: string) {
    this.#database = openSqlite(path);
    try {
      this.#erase({ sessions: true, files: this.#database.read(findLooseFiles) });
    } catch {
      // The disk is full, or another process erases; the next erasure tries again.
    }
  }

  heads(owner: string, after: string | null): HeadsPage {
    return this.#database.read((queries) => readHeads(queries, owner, after));
  }

  head(owner: string, id: string): StoredHead | null {
    return this.#database.read((queries) => readHead({ ...queries, owner, id }));
  }

  page(owner: string, id: string, at: SessionCursor | null): SessionPage | 'changed' | null {
    return this.#database.read((queries) => readPage({ ...queries, owner, id }, at));
  }

  rows(owner: string, id: string, names: readonly string[]): NamedRows {
    return this.#database.read((queries) => readRows({ ...queries, owner, id }, names));
  }

  write(owner: string, id: string, wanted: RowWrite, limits: OwnerLimits | null): boolean {
    const change = (queries: SqliteQueries): Leftovers =>
      writeSession({ ...queries, owner, id, limits }, wanted);
    if (wanted.put.size === 0 && wanted.expected !== null) return this.#shrink(change);
    return this.#writeAndErase(change, (run) => this.#grow(sizeOf(wanted.put.values()), run));
  }

  append(owner: string, id: string, wanted: RowAppend, limits: OwnerLimits | null): boolean {
    const bytes = sizeOf([wanted.record ?? '', ...(wanted.put?.values() ?? [])]);
    return this.#grow(bytes, (queries) => appendToSession({ ...queries, owner, id, limits }, wanted));
  }

  remove(owner: string, id: string, expected: StoredHead | undefined): boolean {
    return this.#shrink((queries) => removeSession({ ...queries, owner, id }, expected));
  }

  putFile(owner: string, id: string, file: UploadedFile, limits: OwnerLimits | null, now: number): void {
    this.#writeAndErase(
      (queries) => ({ sessions: false, files: putFile({ ...queries, owner, id, limits }, file, now) }),
      (run) => this.#grow(file.bytes.byteLength, run),
    );
  }

  getFile(owner: string, hash: string): BlobRow | null {
    return this.#database.read((queries) => readFile(queries, owner, hash));
  }

  /** @param frees True when the statements delete, so that they get the reserve on a full disk. */
  change(
    statements: readonly SqliteStatement[],
    isSynced: boolean,
    frees: boolean,
  ): readonly (readonly SqliteRow[])[] {
    const run = (): readonly (readonly SqliteRow[])[] => changeRows(this.#database, statements, isSynced);
    if (!frees || this.#database.isWriting()) return run();
    try {
      return this.#retryWithReserve(run);
    } finally {
      this.#database.reserve.restore();
    }
  }

  /** Runs jobs in one transaction; see `OpenSqlite.together`. */
  together(calls: readonly (() => void)[]): boolean {
    return this.#database.together(calls);
  }

  close(): void {
    this.#database.close();
  }

  /** Runs a change that deletes; on a full disk it gets the space of the reserve. */
  #shrink(change: (queries: SqliteQueries) => Leftovers): boolean {
    return this.#writeAndErase(change, (run) => this.#retryWithReserve(() => this.#database.write(run)));
  }

  /** Runs a change, and erases after its transaction what it leaves. */
  #writeAndErase(
    change: (queries: SqliteQueries) => Leftovers,
    write: (run: (queries: SqliteQueries) => boolean) => boolean,
  ): boolean {
    let left: Leftovers = null;
    const isDone = write((queries) => {
      left = change(queries);
      return left !== null;
    });
    this.#erase(left);
    return isDone;
  }

  /** Erases deleted data in pieces of about a mebibyte. */
  #erase(left: Leftovers): void {
    if (left === null || (!left.sessions && left.files.length === 0)) return;
    const { write, emptyLog, reserve } = this.#database;
    this.#retryWithReserve(() => {
      emptyLog();
      // The log needs the space of one piece only.
      while (write(erasePiece)) emptyLog();
      for (const file of left.files) if (write((queries) => eraseFile(queries, file))) emptyLog();
    });
    emptyLog();
    reserve.restore();
  }

  /** Runs a change, again with the space of the reserve when the disk is full. */
  #retryWithReserve<Value>(run: () => Value): Value {
    try {
      return run();
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown;
      this.#database.reserve.release();
      return run();
    }
  }

  /**
   * Runs a change that adds bytes, and makes sure that the disk has room to delete them again: the reserve is large
   * enough, and all earlier changes but a mebibyte are in the file and no longer in its log.
   */
  #grow(bytes: number, change: (queries: SqliteQueries) => boolean): boolean {
    const { reserve, checkpoint, isWriting, write } = this.#database;
    reserve.grow(bytes);
    if (this.#bytesSinceCheckpoint > pieceBytes && !isWriting()) {
      checkpoint();
      this.#bytesSinceCheckpoint = 0;
    }
    const isDone = write(change);
    this.#bytesSinceCheckpoint += bytes;
    return isDone;
  }
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

/** SQLite's code for a full disk. */
const full = 13;

/** True for the error of a full disk. */
export function isFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === full;
}
