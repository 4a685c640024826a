import type { OpenSqlite } from './open-sqlite.ts';
import { eraseFile, findLooseFiles, type LooseFile } from './sqlite-files.ts';
import { erasePiece, type Leftovers } from './sqlite-writes.ts';

/** Erases deleted data in pieces of about a mebibyte, and empties the log after each. */
export type Eraser = {
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
export function createEraser(database: OpenSqlite): Eraser {
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
