import type { Plugin } from '../../agent/plugin/plugin.ts';
import type { AgentState } from '../../graph/types.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';
import type { SessionBranch, SessionCheckpoint, SessionHead } from '../stores/session-store.ts';

/** The session apart from its journal, as its machine and its agent hold it. */
export type Saved = {
  readonly id: string | null;
  /** True while the stored session could not be read. Nothing is written then. */
  readonly isUnread: boolean;
  readonly agentName: string;
  /** All plugins; the state of those with `persist: 'none'` is not saved. */
  readonly plugins: readonly Plugin[];
  /** The current state, including events that are committed and not yet published. */
  readonly state: AgentState;
  /** The title that a person chose; null derives it from the first message. */
  readonly title: string | null;
  readonly queue: readonly QueuedMessage[];
  readonly draft: string;
  /** The inactive branches. */
  readonly branches: readonly SessionBranch[];
  /** The states before the last turns, oldest first. */
  readonly checkpoints: readonly SessionCheckpoint[];
};

/** The head of a session as it is written. */
export type Head = Omit<SessionHead, 'version'>;

/** The known content of the store for one session. */
export type Stored = {
  readonly version: number;
  readonly head: Head;
  readonly journalId: string;
  /** The number of records behind the snapshot, which is the number of the next record. */
  readonly records: number;
  /** The state after snapshot and tail, as it is saved. */
  readonly state: AgentState;
  readonly snapshot: AgentState;
  /** The approximate length of the tail in characters. */
  readonly tailSize: number;
  readonly branches: readonly SessionBranch[];
};
