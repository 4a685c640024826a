import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Timestamp } from '../../graph/env.ts';
import type { Turn } from '../agent-session.ts';
import { emptyTree } from '../branches/empty-tree.ts';
import type { SessionTree } from '../branches/session-tree.ts';
import type { QueuedMessage, RunOptions } from '../stores/queued-message.ts';

/** A message that was sent and has not begun. */
export type QueuedTurn = {
  readonly turn: Turn;
  readonly message: QueuedMessage;
  /** An interrupting message goes before those that were steered, and these before the queue. */
  readonly lane: 'interrupting' | 'steered' | 'queued';
  /** How often it began and found that the session was changed elsewhere. */
  readonly conflicts: number;
};

/** What was asked for that leaves the active line: it begins when the run that goes on has ended. */
export type Move = {
  /** Its kind says which: `edit`, `regenerate` or `switch`. */
  readonly turn: Turn;
  readonly at: Timestamp;
  /** The message that is edited, answered again or gone to; null answers the last one again. */
  readonly messageId: string | null;
  /** What an edit says instead. */
  readonly message: QueuedMessage | null;
  readonly options: RunOptions;
  /** How often it began and found that the session was changed elsewhere. */
  readonly conflicts: number;
};

export type ActiveRun = {
  /** Names the run in what is heard of it, so that a late word of an earlier one is not believed. */
  readonly id: string;
  readonly turn: Turn;
  /** `storing`: what it stands on is saved first; `reading`: the session was changed elsewhere and is read again. */
  readonly phase: 'storing' | 'reading' | 'running';
  readonly options: RunOptions;
  /** The execution that was over when it began: what is over later is its own. */
  readonly executionBefore: string | null;
  /** The message that it answers, as long as it may still go back into the queue. */
  readonly begun: QueuedTurn | null;
  /** What it began with, as long as that may still have to be done again. */
  readonly move: Move | null;
  readonly isStopping: boolean;
  /** What stop says, as long as the run may not have heard it. */
  readonly stopMessage: string | null;
  /** How often it was begun and found that the session was changed elsewhere. */
  readonly conflicts: number;
  /** Messages that were taken into the run: their turns end with it. */
  readonly steered: readonly Turn[];
};

/** A turn whose run waits for a person, or was left by a reload. */
export type PausedRun = Pick<ActiveRun, 'turn' | 'options' | 'steered'>;

/** A model call that failed and is tried again. */
export type Retrying = {
  /** The agent's path below the root, as text. */
  readonly path: string;
  readonly attempt: number;
  readonly until: Timestamp;
};

/** Who waits for a turn to end or to wait. */
export type Watcher = { readonly commandId: string; readonly turnId: string };

/** Everything about a session but the agent's state, which the journal holds. */
export type SessionModel = {
  readonly phase: 'loading' | 'open' | 'unreadable' | 'deleted';
  readonly isDisposed: boolean;
  /** Disposed, with something that still goes on. */
  readonly isLeaving: boolean;
  readonly hasStore: boolean;
  readonly run: ActiveRun | null;
  readonly paused: PausedRun | null;
  /** Somebody has asked to go on with the run that nobody goes on with: by an answer, or by `resume`. */
  readonly goesOn: boolean;
  /** The last turn is to be run again. */
  readonly retry: { readonly turn: Turn; readonly conflicts: number } | null;
  readonly moves: readonly Move[];
  readonly queue: readonly QueuedTurn[];
  /** The queue waits for a person: after an error, and after a reload. */
  readonly isHeld: boolean;
  readonly watchers: readonly Watcher[];
  readonly error: ErrorInfo | null;
  readonly retrying: readonly Retrying[];
  readonly draft: string;
  /** The title that a person chose. */
  readonly title: string | null;
  readonly tree: SessionTree;
  /** Another tab runs the session: nothing begins here. Absent: this one does. */
  readonly isFollowing?: boolean;
};

export const emptyModel: SessionModel = {
  phase: 'loading',
  isDisposed: false,
  isLeaving: false,
  hasStore: false,
  run: null,
  paused: null,
  goesOn: false,
  retry: null,
  moves: [],
  queue: [],
  isHeld: false,
  watchers: [],
  error: null,
  retrying: [],
  draft: '',
  title: null,
  tree: emptyTree,
};
