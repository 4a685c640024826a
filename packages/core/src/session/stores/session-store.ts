import type { Timestamp } from '../../graph/env.ts';
import type { BlobReference } from '../../graph/message-part.ts';
import type { MessageStore } from '../../graph/message-store.ts';
import type { AgentState, ExecutionState, ExecutionStatus } from '../../graph/types.ts';
import type { AgentChange } from '../../run/events.ts';
import type { TabLink } from './tab-link.ts';
import type { QueuedMessage } from './queued-message.ts';

/** What a completed write survives: nothing, usually a crash, a killed browser process, the loss of the machine. */
export type Durability = 'none' | 'eventual' | 'process-crash' | 'replicated';

/** Everything about a session that a list shows. */
export type SessionSummary = {
  readonly id: string;
  /** Raised by every write; 0 for a session that was never saved. */
  readonly version: number;
  readonly title: string;
  readonly agentName: string;
  readonly parentId: string | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** `broken`: what is stored cannot be read; `newer`: a later version of this library wrote it. Neither is ever changed. */
  readonly status: 'active' | 'suspended' | 'completed' | 'broken' | 'newer' | 'deleted';
  readonly executionStatus: ExecutionStatus | null;
  /** When it was deleted; only there with the status `deleted`. It is erased 10 seconds later. */
  readonly deletedAt?: Timestamp;
};

/** What is small and changes without the conversation: written whole each time. */
export type SessionHead = SessionSummary & {
  /** Messages that were sent and have not begun. */
  readonly queue: readonly QueuedMessage[];
  /** What a person has typed and not sent. */
  readonly draft: string;
};

/** A line of the conversation that is not the active one, as it was left: the whole state, sharing what is the same. */
export type SessionBranch = {
  readonly id: string;
  readonly leftAt: Timestamp;
  readonly state: AgentState;
};

/** What stood before a turn, by reference, so that it can be begun again: edit, regenerate, fork. */
export type SessionCheckpoint = {
  /** The user's message of the turn. */
  readonly messageId: string;
  readonly store: MessageStore;
  readonly plugins: AgentState['plugins'];
};

/** The events behind the snapshot, as records: each is what one `append` brought. */
export type StoredJournal = {
  readonly id: string;
  /** How many records there are: the number of the next one. */
  readonly records: number;
  /** Their events, in order. */
  readonly tail: readonly AgentChange[];
};

/** A session as it is stored: a snapshot, and the events behind it. `liveRecord` folds them. */
export type SessionRecord = SessionHead & {
  /** The snapshot, on which the tail stands. */
  readonly state: AgentState;
  readonly journal: StoredJournal;
  readonly branches: readonly SessionBranch[];
  readonly checkpoints: readonly SessionCheckpoint[];
};

/** What a write is based on. */
export type WriteOptions = {
  /** The version that was read, or that the last write gave; 0 for a session that is not stored. */
  readonly expectedVersion: number;
};

/** What a whole write takes besides the session. */
export type SaveOptions = WriteOptions & {
  /** Finished executions that were replaced since the last save: each becomes a row that only `runs` reads. */
  readonly newRuns?: readonly ExecutionState[];
  /** Earlier runs are erased: the messages they speak of were. */
  readonly isErasing?: boolean;
};

/** One record of events, to be put behind those that are stored. */
export type SessionAppend = WriteOptions & {
  /** The journal that the events belong to; another one than the stored one is a `session-conflict`. */
  readonly journalId: string;
  /** The number of this record: as many as there were before it. A taken number is a `session-conflict`. */
  readonly record: number;
  /** With none of them only the head is written, and no number is taken. */
  readonly events: readonly AgentChange[];
  /** The head as it is from now on, where it changed. */
  readonly head?: Omit<SessionHead, 'version'>;
};

/** The texts of a stored session, unread. */
export type RawSession = {
  readonly head: string;
  /** By name. */
  readonly rows: Readonly<Record<string, string>>;
  /** The records behind the rows, in the order of their numbers. */
  readonly tail: readonly string[];
};

/** Which sessions are listed. */
export type SessionQuery = {
  /** Words that the title or the text of a message holds, whatever their case; reads bodies. */
  readonly search?: string;
  readonly status?: SessionSummary['status'];
  readonly agentName?: string;
  /** Default: all. */
  readonly limit?: number;
  /** Where the list before this one ended. */
  readonly cursor?: string;
};

/** A part of a list; `cursor` is null when nothing is left. */
export type SessionList = {
  readonly sessions: readonly SessionSummary[];
  readonly cursor: string | null;
};

/** What a file comes with when it is put into a store. */
export type BlobOptions = {
  readonly mediaType: string;
  /** The session whose message will hold it. */
  readonly sessionId: string;
};

/**
 * Files beside the sessions, named by what is in them: the same bytes stand there once. A file is freed with the last
 * session that speaks of it in a message, branch, run, event or queue; one that was put and never spoken of goes with
 * its session, or some time after the page that put it died.
 */
export type BlobStore = {
  /** Resolves when it is stored. @throws AgentError `session-storage` */
  readonly put: (data: Blob | Uint8Array, options: BlobOptions) => Promise<BlobReference>;
  /** Null when it is not there, or is damaged. */
  readonly get: (hash: string) => Promise<Blob | null>;
};

/**
 * Where sessions are kept. A write is all or nothing: a crash, a full disk or a second writer at any point leaves the
 * old or the new session, whole. A write compares versions: when the stored one is not `expectedVersion` it rejects with
 * AgentError `session-conflict` and writes nothing. A store that cannot write rejects with `session-storage`.
 */
export type SessionStore = {
  readonly durability: Durability;
  /** Null when there is none. @throws AgentError `state-invalid` for an entry that cannot be read; it is not changed. */
  readonly load: (id: string) => Promise<SessionRecord | null>;
  /** Writes the whole session, tail and all, and resolves with its new version. */
  readonly save: (record: SessionRecord, options: SaveOptions) => Promise<number>;
  /** Puts events behind those that are stored, and resolves with the new version. Without it every write is a `save`. */
  readonly append?: (id: string, append: SessionAppend) => Promise<number>;
  /** Erases everything of the session. With a version: only that one. */
  readonly remove: (id: string, options?: Partial<WriteOptions>) => Promise<void>;
  /** Newest first, from heads alone; entries that cannot be read have the status `broken`; deleted ones only where asked for. */
  readonly list: (query?: SessionQuery) => Promise<SessionList>;
  /** The finished executions before the present one, oldest first: also those that the tail of the journal tells of. */
  readonly runs?: (id: string) => Promise<readonly ExecutionState[]>;
  /** Where it keeps files. Without it they stand in the messages, as base64. */
  readonly blobs?: BlobStore | undefined;
  /** The largest file, in bytes, that a message may hold where there are no `blobs`. Default: any. */
  readonly inlineBytes?: number | undefined;
  /** Everything that is stored of a session as it stands, be it damaged: what an export of a broken one holds. */
  readonly raw?: (id: string) => Promise<RawSession | null>;
  /** Why it keeps less than one would hope (a browser without storage), for people; null when there is nothing to say. */
  readonly warning?: string | null;
  /**
   * How tabs that share it know of each other, so that one of them runs a session at a time: the name under which they
   * share it, or a link of their own. Null or absent: each runs for itself, and conflicts are found when it writes.
   */
  readonly tabs?: string | TabLink | null;
  /** Tells of every change with the session's id, or with null when it is not known which one changed. */
  readonly subscribe?: (listener: (id: string | null) => void) => () => void;
};

/** A store that can all that a store may; those of this library are such. */
export type FullSessionStore = SessionStore & Required<Pick<SessionStore, 'append' | 'runs' | 'subscribe'>>;
