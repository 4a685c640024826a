import type { Durability } from '../session-store.ts';

/** What names one stage of a session: its head, and how many records stand behind it. */
export type StoredHead = {
  readonly text: string;
  /** How many records were put behind the last whole write. */
  readonly records: number;
};

/** A session as it stands, read at one moment. */
export type StoredRows = StoredHead & {
  /** Texts by name. Those of `isArchived` names may be left out. */
  readonly rows: ReadonlyMap<string, string>;
  /** The records, in the order of their numbers. */
  readonly tail: readonly string[];
};

/** A whole write: what is stored from now on is the head, the rows that stay and those that are put, and no record. */
export type RowWrite = {
  /** What has to be stored now; null: nothing. */
  readonly expected: StoredHead | null;
  readonly head: string;
  /** New rows by name. A row of a name that is there already is the same row. */
  readonly put: ReadonlyMap<string, string>;
  /** Rows that go, none of which is put; `rest`: all that are not put. Names that are not there do no harm. */
  readonly drop: readonly string[] | 'rest';
  /** The hashes of all files that the session holds from now on; what no session holds any more goes with the write. */
  readonly blobs?: readonly string[];
};

/** A small write: one record, a new head, or both. */
export type RowAppend = {
  /** What has to be stored now; its `records` is the number of the new record. */
  readonly expected: StoredHead;
  readonly record: string | null;
  readonly head: string | null;
  /** It must be as safe as the storage can make it before the promise resolves: a tool waits for it. */
  readonly isStrict: boolean;
  /** The hashes of files that the session holds besides. */
  readonly blobs?: readonly string[];
};

/** A file as a storage keeps it. */
export type BlobRow = { readonly bytes: ArrayBuffer; readonly mediaType: string };

/** Where a storage keeps files. */
export type BlobRows = {
  /**
   * Keeps a file, once whoever puts it. The session holds it from now on, until it is removed; when a write has not
   * named it among its `blobs` by the next day, it may go.
   */
  readonly put: (id: string, blob: BlobRow & { readonly hash: string }) => Promise<void>;
  readonly get: (hash: string) => Promise<BlobRow | null>;
};

/**
 * Where rows of text are kept: all that a driver has to bring for `rowSessions`. Texts and names are opaque; names are
 * letters, digits and dots. A write is all or nothing, whatever fails, and it resolves with false, having written
 * nothing, when what is stored is not what it expects: that comparison and the write are one. What cannot be read or
 * written rejects with any error.
 */
export type RowStorage = {
  readonly durability: Durability;
  /** The heads of all sessions by id. */
  readonly heads: () => Promise<ReadonlyMap<string, StoredHead>>;
  readonly head: (id: string) => Promise<StoredHead | null>;
  readonly read: (id: string) => Promise<StoredRows | null>;
  /** Texts of the named rows, archived ones too; those that are not there are left out. */
  readonly rows: (id: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly write: (id: string, write: RowWrite) => Promise<boolean>;
  readonly append: (id: string, append: RowAppend) => Promise<boolean>;
  /** Erases head, rows and records, and lets go of its files. With `expected`: only when that is what is stored. */
  readonly remove: (id: string, expected?: StoredHead) => Promise<boolean>;
  /** The name under which tabs share it; null or absent when they do not. */
  readonly tabs?: string | null;
  /** Files, for storages that have room for them. */
  readonly blobs?: BlobRows;
  /** The largest file, in bytes, that may stand in a row where there are no `blobs`. Default: any. */
  readonly inlineBytes?: number;
  /** Tells of changes that others made (another tab): the id, or null when it is not known which. */
  readonly subscribe?: (listener: (id: string | null) => void) => () => void;
};

/** True for rows that only `runs` reads: a driver that can leaves them out of `read`. */
export function isArchived(name: string): boolean {
  return name.startsWith('run.');
}
