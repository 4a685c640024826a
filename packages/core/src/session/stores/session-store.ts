import type { Timestamp } from '../../graph/env.ts';
import type { ExecutionStatus, AgentState } from '../../graph/types.ts';
import type { QueuedMessage } from './queued-message.ts';

/** What a completed write survives: nothing, usually a crash, a killed browser process, the loss of the machine. */
export type Durability = 'none' | 'eventual' | 'process-crash' | 'replicated';

/** Everything about a session but its state; enough for a list. */
export type SessionSummary = {
  readonly id: string;
  /** Raised by every write; 0 for a session that was never saved. */
  readonly version: number;
  readonly title: string;
  readonly agentName: string;
  readonly parentId: string | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly status: 'active' | 'suspended' | 'completed' | 'broken';
  readonly executionStatus: ExecutionStatus | null;
};

/** A session as it is stored. */
export type SessionRecord = SessionSummary & {
  readonly state: AgentState;
  /** Messages that were sent and have not begun. */
  readonly queue: readonly QueuedMessage[];
  /** What a person has typed and not sent. */
  readonly draft: string;
};

/**
 * Where sessions are kept. `save` compares versions: when the stored one is not `expectedVersion` it rejects with
 * AgentError `session-conflict` and writes nothing. A store that cannot write rejects with `session-storage`.
 */
export type SessionStore = {
  readonly durability: Durability;
  /** Null when there is none. @throws AgentError `state-invalid` for an entry that cannot be read; it is not deleted. */
  readonly load: (id: string) => Promise<SessionRecord | null>;
  /** The record as stored, with its new version. */
  readonly save: (record: SessionRecord, options: { expectedVersion: number }) => Promise<SessionRecord>;
  readonly remove: (id: string) => Promise<void>;
  /** Newest first; entries that cannot be read have the status `broken`. */
  readonly list: () => Promise<readonly SessionSummary[]>;
  /** Tells of every change with the session's id, or with null when it is not known which one changed. */
  readonly subscribe?: (listener: (id: string | null) => void) => () => void;
};
