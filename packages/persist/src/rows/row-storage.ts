import type { Durability } from '@vitrine/core/internal/session/store/session-store';

/** The identity of one stage of a session: its head text, and the number of records behind it. */
export type StoredHead = {
  readonly text: string;
  /** The number of records since the last whole write. */
  readonly records: number;
};

/** A stored session, read at one moment. */
export type StoredRows = StoredHead & {
  /** Texts by name. Those of `isArchived` names may be left out. */
  readonly rows: ReadonlyMap<string, string>;
  /** The records, in the order of their numbers. */
  readonly tail: readonly string[];
};

/** A whole write. It replaces the head, puts and drops rows, and removes all records. */
export type RowWrite = {
  /** The head that must be stored now; null for none. */
  readonly expected: StoredHead | null;
  readonly head: string;
  /** New rows by name. A row whose name is already stored is the same row. */
  readonly put: ReadonlyMap<string, string>;
  /** Rows to remove, none of which is put; `rest` means all that are not put. Unknown names are ignored. */
  readonly drop: readonly string[] | 'rest';
  /**
   * The hashes of all files that the session holds after the write. A file without any session is erased.
   * Null releases all files, also those that wait for their message.
   */
  readonly blobs?: readonly string[] | null;
};

/** A small write: one record, a new head, or both. */
export type RowAppend = {
  /** The head that must be stored now; its `records` is the number of the new record. */
  readonly expected: StoredHead;
  readonly record: string | null;
  readonly head: string | null;
  /** New rows by name, only with a head. A row of a name that is there already is the same row. */
  readonly put?: ReadonlyMap<string, string>;
  /** Names of rows to drop, none of which is put. Unknown names are allowed. */
  readonly drop?: readonly string[];
  /**
   * True when the write must be as durable as the storage allows before the promise resolves, because a tool
   * waits for it.
   */
  readonly isStrict: boolean;
  /** The hashes of additional files that the session holds. */
  readonly blobs?: readonly string[];
};

/** A file in a storage. */
export type BlobRow = { readonly bytes: ArrayBuffer; readonly mediaType: string };

/** The files of a storage. */
export type BlobRows = {
  /**
   * Stores a file once and records that the session holds it.
   * Without a later write that names it among its `blobs`, it may be erased the next day.
   */
  readonly put: (id: string, blob: BlobRow & { readonly hash: string }) => Promise<void>;
  readonly get: (hash: string) => Promise<BlobRow | null>;
};

/**
 * A storage for rows of text: the part that a driver implements for `rowSessions`. Texts and names are opaque; names of
 * rows consist of letters, digits and dots. Ids are percent-encoded ids of sessions, of letters, digits, `_`, `-` and
 * `%`, or the same with a "-" in front for data beside a session. A removed session leaves a head without rows for 30
 * days. A write is atomic. It resolves with false, and writes nothing, when the stored head is not the expected one;
 * comparison and write are one step. A failed read or write rejects with any error.
 */
export type RowStorage = {
  readonly durability: Durability;
  /** Resolves with the heads of all sessions by id. */
  readonly heads: () => Promise<ReadonlyMap<string, StoredHead>>;
  readonly head: (id: string) => Promise<StoredHead | null>;
  readonly read: (id: string) => Promise<StoredRows | null>;
  /** Resolves with the texts of the named rows, archived ones too. Unknown names are left out. */
  readonly rows: (id: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly write: (id: string, write: RowWrite) => Promise<boolean>;
  readonly append: (id: string, append: RowAppend) => Promise<boolean>;
  /** Erases head, rows and records, and releases its files. With `expected`: only when that head is stored. */
  readonly remove: (id: string, expected?: StoredHead) => Promise<boolean>;
  /** Names driver and place: two of one identity keep the same sessions. Null or absent: it equals only itself. */
  readonly identity?: string | null;
  /** The name under which tabs share it; null or absent when they do not. */
  readonly tabs?: string | null;
  /** The files, in storages with room for them. */
  readonly blobs?: BlobRows;
  /** The largest file, in bytes, that a row may hold where there are no `blobs`. Default: any. */
  readonly inlineBytes?: number;
  /** Notifies of changes by others (another tab) with the id, or null when it is unknown. */
  readonly subscribe?: (listener: (id: string | null) => void) => () => void;
};

/** True for rows that only `runs` reads; a driver may leave them out of `read`. */
export function isArchived(name: string): boolean {
  return name.startsWith('run.');
}
