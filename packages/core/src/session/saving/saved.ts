import type { Plugin } from '../../agent/plugin/plugin.ts';
import type { AgentState } from '../../graph/types.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';
import type { SessionBranch, SessionCheckpoint, SessionHead } from '../stores/session-store.ts';

/** What a session is at a moment besides its journal, as its machine and its agent have it. */
export type Saved = {
  readonly id: string | null;
  readonly agentName: string;
  /** Those of them that keep their state for this page only are not saved. */
  readonly plugins: readonly Plugin[];
  /** As it stands; what was committed and is not heard yet is in it. */
  readonly state: AgentState;
  /** The one that a person chose; null makes it what was said first. */
  readonly title: string | null;
  readonly queue: readonly QueuedMessage[];
  readonly draft: string;
  /** The lines that were left. */
  readonly branches: readonly SessionBranch[];
  /** What stood before the last turns, oldest first. */
  readonly checkpoints: readonly SessionCheckpoint[];
};

/** The head of a session as it is written. */
export type Head = Omit<SessionHead, 'version'>;

/** What the store holds of a session, as far as is known here. */
export type Stored = {
  readonly version: number;
  readonly head: Head;
  readonly journalId: string;
  /** How many records stand behind the snapshot: the number of the next one. */
  readonly records: number;
  /** The state that snapshot and tail come to, as it is saved. */
  readonly state: AgentState;
  readonly snapshot: AgentState;
  /** About how many characters the tail has. */
  readonly tailSize: number;
  readonly branches: readonly SessionBranch[];
};
