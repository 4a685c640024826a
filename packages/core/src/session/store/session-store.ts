import type { Timestamp } from '../../graph/env.ts';
import type { BlobReference } from '../../graph/message.ts';
import type { MessageStore } from '../../graph/message-store.ts';
import type { AgentError } from '../../kit/agent-error.ts';
import type { AgentState, ExecutionState, ExecutionStatus } from '../../graph/types.ts';
import type { AgentChange } from '../../run/events.ts';
import type { SessionOutbox } from './session-outbox.ts';
import type { SessionMove } from './session-move.ts';
import type { LinkedId, TabLink } from './tab-link.ts';
import type { QueuedMessage } from './queued-message.ts';

/** The failure that a completed write survives: none, a usual crash, a killed process, a lost machine. */
export type Durability = 'none' | 'eventual' | 'process-crash' | 'replicated';

/** The part of a session that a list shows. */
export type SessionSummary = {
  readonly id: string;
  /** The version, higher after every write; 0 for a session that was never saved. */
  readonly version: number;
  readonly title: string;
  readonly agentName: string;
  readonly parentId: string | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** A `broken` one cannot be read, a `newer` one is of a later version of the library. Neither is changed. */
  readonly status: 'active' | 'suspended' | 'completed' | 'broken' | 'newer' | 'deleted';
  readonly executionStatus: ExecutionStatus | null;
  /** The time of the deletion; present only with the status `deleted`. The session is erased 10 seconds later. */
  readonly deletedAt?: Timestamp;
  /** The mark of a session that was moved to another store; absent for one that is here. */
  readonly movedTo?: SessionMove;
};

/** The small part of a session that changes apart from the conversation. It is written whole each time. */
export type SessionHead = SessionSummary & {
  /** Messages that were sent and have not begun. */
  readonly queue: readonly QueuedMessage[];
  /** The text that was typed and not sent. */
  readonly draft: string;
};

/** An inactive branch of the conversation as it was left: the whole state, sharing unchanged parts. */
export type SessionBranch = { readonly id: string; readonly leftAt: Timestamp; readonly state: AgentState };

/** The state before a turn, by reference, so that the turn can begin again: edit, regenerate, fork. */
export type SessionCheckpoint = {
  /** The user's message of the turn. */
  readonly messageId: string;
  readonly store: MessageStore;
  readonly plugins: AgentState['plugins'];
};

/** The events behind the snapshot, as records. Each record holds the events of one `append`. */
export type StoredJournal = {
  readonly id: string;
  /** The number of records, which is the number of the next one. */
  readonly records: number;
  /** The events of all records, in order. */
  readonly tail: readonly AgentChange[];
};

/** A stored session: a snapshot and the events behind it. `liveRecord` folds them. */
export type SessionRecord = SessionHead & {
  /** The last writer epoch that was taken; absent for 0. Only the store writes it; `save` ignores it. */
  readonly epoch?: number;
  /** The ids of the last 200 commands taken, oldest first; absent for none. Only the store writes them. */
  readonly taken?: readonly string[];
  /** The id of the last write; absent for one without an id. Only the store writes it, from `writeId` of the writes. */
  readonly writeId?: string;
  /** The snapshot, on which the tail is based. */
  readonly state: AgentState;
  readonly journal: StoredJournal;
  readonly branches: readonly SessionBranch[];
  readonly checkpoints: readonly SessionCheckpoint[];
};

/** The base of a write. */
export type WriteOptions = {
  /** The version that was read or that the last write returned; 0 for a session that is not stored. */
  readonly expectedVersion: number;
};

/** The writer of a write, and the commands behind it. */
export type WriterOptions = WriteOptions & {
  /**
   * The newest epoch that the writer knows, from `load` or `takeEpoch`. Absent means 0: no run ever began.
   * A write with an older epoch than the stored one is a `session-conflict` at any version.
   */
  readonly epoch?: number;
  /** Ids of the commands that caused this write. They join `taken` exactly when the write succeeds. */
  readonly commands?: readonly string[];
  /** A new id of this write, which is stored with it. A writer whose answer is lost finds it in the record. */
  readonly writeId?: string;
};

/** A writer epoch that was taken, with the version of the session at that time. */
export type TakenEpoch = {
  /** The epoch, higher than every earlier one of the session. */
  readonly epoch: number;
  /**
   * The stored version, which taking an epoch does not raise; 0 where no session is stored. A version unlike
   * the writer's own means that another writer overtook it.
   */
  readonly version: number;
};

/**
 * The answer of a store to a load.
 * - `absent`: the store has no such session. `removedAt` is the time of its removal, for 30 days; null when
 *   it was never stored or the browser evicted it.
 * - `unknown`: the store could not answer, which means nothing about the session.
 */
export type SessionLoad =
  | {
      readonly kind: 'there';
      readonly session: SessionRecord;
      /** The place in the tail of the first event of each of the last records. Absent where the store does not know. */
      readonly recordStarts?: readonly number[];
    }
  | {
      readonly kind: 'absent';
      readonly removedAt: Timestamp | null;
      /** The last writer epoch that was taken under this id; 0 when none is known. */
      readonly epoch: number;
    }
  | { readonly kind: 'unknown'; readonly error: AgentError };

/** The options of a whole write. */
export type SaveOptions = WriterOptions & {
  /** Finished executions that were replaced since the last save. Each becomes a row that only `runs` reads. */
  readonly newRuns?: readonly ExecutionState[];
  /** True when earlier runs are erased, because the messages in them were. */
  readonly isErasing?: boolean;
};

/** One record of events to append. */
export type SessionAppend = WriterOptions & {
  /** The journal of the events. Another one than the stored one is a `session-conflict`. */
  readonly journalId: string;
  /** The events, which become the next record. When empty, only the head is written. */
  readonly events: readonly AgentChange[];
  /** The new head, when it changed. */
  readonly head?: Omit<SessionHead, 'version'>;
};

/** The stored texts of a session, not parsed. */
export type RawSession = {
  readonly head: string;
  /** The rows by name. */
  readonly rows: Readonly<Record<string, string>>;
  /** The records behind the rows, in the order of their numbers. */
  readonly tail: readonly string[];
};

/** The stored part of a session's past: the journal since its snapshot, and the executions before. */
export type StoredPast = {
  /** Finished executions that were replaced, oldest first. */
  readonly runs: readonly ExecutionState[];
  readonly journal: {
    readonly id: string;
    readonly base: AgentState;
    readonly events: readonly AgentChange[];
  };
};

/** The filter of a list. */
export type SessionQuery = {
  /** Only the session of this id, whose head alone is read; a deleted one is listed too. */
  readonly id?: string;
  /** Words in the title or in the text of a message; case is ignored. Reads the bodies of sessions. */
  readonly search?: string;
  readonly status?: SessionSummary['status'];
  readonly agentName?: string;
  /** The largest number of sessions. Default: all. */
  readonly limit?: number;
  /** The `cursor` of the list before. */
  readonly cursor?: string;
};

/** A page of a list; `cursor` is null at the end. */
export type SessionList = { readonly sessions: readonly SessionSummary[]; readonly cursor: string | null };

/** The options for storing a file. */
export type BlobOptions = {
  readonly mediaType: string;
  /** The session whose message will hold the file. */
  readonly sessionId: string;
};

/**
 * Files beside the sessions, named by a hash of their content, so that equal bytes are stored once.
 * A file is freed with the last session that references it in a message, branch, run, event or queue. A file
 * that was never referenced goes with its session, or some time after the page that put it died.
 */
export type BlobStore = {
  /** Resolves when the file is stored. @throws AgentError `session-storage` */
  readonly put: (data: Blob | Uint8Array, options: BlobOptions) => Promise<BlobReference>;
  /** Resolves with the file; null when it is missing or damaged. */
  readonly get: (hash: string) => Promise<Blob | null>;
};

/**
 * The calls of a store whose sessions a server runs. The server changes and takes them itself, because the page holds
 * nothing of them. All reject with `AgentError`; its `data.retryable` is false for a refusal.
 */
export type ServedSessions = {
  /** Rejects with the reason why the server would not take a session; nothing changes. */
  readonly check: (session: LinkedId) => Promise<void>;
  /** Keeps a session of another store and goes on with its run. The same `moveId` again changes nothing. */
  readonly take: (session: LinkedId, moveId: string, from: SessionStore) => Promise<void>;
  /** Sets the title of a stored session. */
  readonly rename: (id: string, title: string) => Promise<void>;
  /** Deletes a session; for 10 seconds `restore` brings it back. */
  readonly remove: (id: string) => Promise<void>;
  readonly restore: (id: string) => Promise<void>;
  /** Resolves with the stored past of a session, for a panel; null for one that is not stored. */
  readonly past: (id: string) => Promise<StoredPast | null>;
};

/**
 * A place where sessions are kept. A write is atomic: after a crash, on a full disk or beside a second
 * writer, the store holds the old or the new session whole.
 * A write compares versions: when the stored one is not `expectedVersion`, it rejects with AgentError
 * `session-conflict` and writes nothing. A store that cannot write rejects with `session-storage`.
 */
export type SessionStore = {
  readonly durability: Durability;
  /**
   * Attaches a session to the store that it has, this one or a wrapper of it, which keeps it from then on. Every store has
   * `attachSession` of `@vitrine/persist` here; only a session calls it, with itself.
   */
  attach(session: object): Promise<object>;
  /**
   * Names the driver and its place. React treats two stores of one identity as the same, so a store may be created
   * while rendering. Null or absent: the store equals only itself.
   */
  readonly identity?: string | null | undefined;
  /**
   * Resolves with the session, or with the reason why there is none. @throws AgentError `state-invalid` or
   * `state-version-unsupported` for an entry that cannot be read; it is not changed.
   */
  readonly load: (id: string) => Promise<SessionLoad>;
  /**
   * Raises the writer epoch of a session before a run of it calls a model. After that, no writer with an older epoch
   * can write. The version stays. A session that is not saved yet has version 0, can have an epoch too, and stays
   * absent. With `expectedVersion` it raises the epoch of that version only, so that a writer with old knowledge stops
   * no run that began meanwhile.
   * @throws AgentError `session-conflict` when another version is stored; nothing has changed then. `session-storage`,
   * and the errors of `load`.
   */
  readonly takeEpoch: (id: string, options?: WriteOptions) => Promise<TakenEpoch>;
  readonly outbox: SessionOutbox;
  /** Writes the whole session with its tail and resolves with the new version. */
  readonly save: (record: SessionRecord, options: SaveOptions) => Promise<number>;
  /** Appends events, a new head, or both, and resolves with the new version. */
  readonly append: (id: string, append: SessionAppend) => Promise<number>;
  /**
   * Erases the session and its outbox. With `expectedVersion` it removes only that version.
   * For 30 days its id, last version and epoch, and the time of removal stay, so that no open tab or device
   * brings it back. A new session under the id (`expectedVersion: 0`) may be saved at once.
   */
  readonly remove: (id: string, options?: Partial<WriteOptions>) => Promise<void>;
  /** Lists sessions from their heads, newest first; deleted ones only on request. */
  readonly list: (query?: SessionQuery) => Promise<SessionList>;
  /** Resolves with the finished executions before the current one, oldest first, those in the tail too. */
  readonly runs?: (id: string) => Promise<readonly ExecutionState[]>;
  /** The files of sessions. Without it files are in the messages, as base64. */
  readonly blobs?: BlobStore | undefined;
  /** The largest file, in bytes, that a message may hold where there are no `blobs`. Default: any. */
  readonly inlineBytes?: number | undefined;
  /** Resolves with the stored texts of a session, damaged or not, for the export of a broken one. */
  readonly raw?: (id: string) => Promise<RawSession | null>;
  /**
   * The reason why this store keeps less than expected (a browser without storage), as a sentence for users;
   * null for none.
   */
  readonly warning?: string | null;
  /**
   * The connection between tabs that share the store, so that one of them runs a session at a time: a shared name, or a
   * link. Null or absent: every tab runs for itself, and conflicts appear at writes.
   */
  readonly tabs?: string | TabLink | null;
  /**
   * `end`: every writer is the only one while it may write, as a process with a lease of a server. A session then ends at
   * its first `session-conflict`: it aborts its run, neither rebases nor forks, and tells followers nothing more.
   */
  readonly fence?: 'end' | undefined;
  /** The calls of a store whose sessions a server runs. Absent: the page itself writes them. */
  readonly served?: ServedSessions | undefined;
  /** Notifies of every change with the session's id, or with null when the id is unknown. */
  readonly subscribe?: (listener: (id: string | null) => void) => () => void;
};

/** A store with all optional calls, as every store of this library. */
export type FullSessionStore = SessionStore & Required<Pick<SessionStore, 'runs' | 'subscribe'>>;
