import type { RowCounts } from './row-counts.ts';
import type { WrittenPages } from './encode-session.ts';
import type { Row } from './row.ts';
import type { ReadHead } from './read-head.ts';

/** The rows of a stored session and their references. */
export type RowGraph = {
  readonly root: Row;
  readonly runs: readonly Row[];
  readonly written: WrittenPages;
  readonly counts: () => RowCounts;
  /** The files that the rows reference. */
  readonly blobs: () => ReadonlySet<string>;
  /** Rows without a reference, left by an interrupted write. */
  readonly orphans: () => readonly string[];
};

/** The basis of a write: the head that must still be stored, and its rows. */
export type SessionBasis = {
  readonly head: ReadHead;
  /** The rows; null while only the head is known. */
  readonly graph: RowGraph | null;
};
