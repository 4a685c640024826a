import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

/**
 * A file beside the database that reserves disk space, so that something can be deleted when the disk is full: SQLite
 * writes erased pages into its log first.
 */
export type Reserve = {
  /** Makes the file large enough to erase a write of so many bytes. @throws Error when the disk is full. */
  readonly grow: (bytes: number) => void;
  /** Gives its space to the database. */
  readonly release: () => void;
  /** Takes the space back as far as possible. */
  readonly restore: () => void;
};

const mebibyte = 1024 * 1024;
/** Erasing works in pieces of a mebibyte, with an emptied log after each. */
const least = 4 * mebibyte;

/** The reserve of the database at a path; none for a database in memory. */
export function reserveOf(path: string): Reserve {
  if (path === ':memory:' || path === '') return { grow: nothing, release: nothing, restore: nothing };
  const file = `${path}-reserve`;
  let wanted = least;
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;

  function fill(): void {
    if (size >= wanted) return;
    const handle = openSync(file, 'a');
    try {
      while (size < wanted) {
        // Some file systems do not store zeros.
        size += writeSync(handle, randomFillSync(new Uint8Array(Math.min(mebibyte, wanted - size))));
      }
    } finally {
      closeSync(handle);
    }
  }

  function restore(): void {
    try {
      fill();
    } catch {
      // The next write that needs it tries again.
    }
  }

  restore();
  return {
    grow(bytes) {
      wanted = Math.max(wanted, least + 2 * bytes);
      fill();
    },
    release() {
      rmSync(file, { force: true });
      size = 0;
    },
    restore,
  };
}

function nothing(): void {
  // A database in memory has no file.
}
