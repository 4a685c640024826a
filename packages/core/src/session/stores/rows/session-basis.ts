import type { RowCounts } from './row-counts.ts';
import type { WrittenPages } from './encode-session.ts';
import type { Row } from './row.ts';
import type { ReadHead } from './read-head.ts';

/** The rows of a stored session, by what names them. */
export type RowGraph = {
  readonly root: Row;
  readonly runs: readonly Row[];
  readonly written: WrittenPages;
  readonly counts: () => RowCounts;
  /** The files that the rows speak of. */
  readonly blobs: () => ReadonlySet<string>;
  /** Rows that nothing names: a write was cut short. */
  readonly orphans: () => readonly string[];
};

/** What a write builds on: the head that has to be stored still, and the rows that are there if it is. */
export type SessionBasis = {
  readonly head: ReadHead;
  /** Null while only the head is known. */
  readonly graph: RowGraph | null;
};
