import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ExecutionBudget } from '../../graph/execution-budget.ts';
import type { SessionBudget } from '../../graph/limits.ts';
import type { Timestamp } from '../../graph/env.ts';
import type { Turn, PersistenceState } from '../agent-session.ts';
import { type SessionTree, emptyTree } from '../branches/session-tree.ts';
import type { QueuedMessage, TurnOptions } from '../store/queued-message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { SessionMove } from '../store/session-move.ts';

/** A turn that begins again when it finds the session changed elsewhere. */
type RepeatedTurn = {
  readonly turn: Turn;
  /** The number of times it began and found the session changed elsewhere. */
  readonly conflicts: number;
};

/** A message that was sent and has not begun. */
export type QueuedTurn = RepeatedTurn & {
  readonly message: QueuedMessage;
  /** Interrupting messages run first, then steered ones, then the queue. */
  readonly lane: 'interrupting' | 'steered' | 'queued';
};

/** A request to leave the active branch. It begins when the current run has ended; its kind is one of `MoveRequest`. */
export type Move = RepeatedTurn & {
  readonly at: Timestamp;
  /** The message that is edited, answered again or switched to; null answers the last one again. */
  readonly messageId: string | null;
  /** The new message of an edit; null otherwise. */
  readonly message: QueuedMessage | null;
  readonly options: TurnOptions;
  /** True for a command of another tab, which may be gone. */
  readonly isOfOtherTab?: boolean;
};

export type ActiveRun = RepeatedTurn & {
  /** Identifies the run in its reports, so that a late report of an earlier run is ignored. */
  readonly id: string;
  /** In `storing` its base is saved first; in `reading` the session was changed elsewhere and is read again. */
  readonly phase: 'storing' | 'reading' | 'running';
  readonly options: TurnOptions;
  /** The execution that had finished before the run began; a later one belongs to this run. */
  readonly executionBefore: string | null;
  /** The message that it answers, while it may still return to the queue. */
  readonly begun: QueuedTurn | null;
  /** The move that it began with, while that may have to be repeated. */
  readonly move: Move | null;
  readonly isStopping: boolean;
  /** The message of a stop, while the run may not have received it. */
  readonly stopMessage: string | null;
  /** The id of the principal who stopped it; absent for nobody known. */
  readonly stoppedBy?: string;
  /** The turns of messages that the run took in; they end with it. */
  readonly steered: readonly Turn[];
};

/** A turn whose run waits for a person or was interrupted by a reload. */
export type PausedRun = Pick<ActiveRun, 'turn' | 'options' | 'steered'>;

/** A failed model call that is being retried. */
export type Retrying = {
  /** The path of the agent below the root, as text. */
  readonly path: string;
  readonly attempt: number;
  readonly until: Timestamp;
};

/** A command whose promise settles when a turn ends or pauses. */
export type Watcher = {
  readonly commandId: string;
  readonly turnId: string;
  /** True for a stop, whose promise does not wait for the store. */
  readonly isStop?: boolean;
};

/** The state of a conflict: the stored session was changed elsewhere and is not loaded yet. */
export type Conflict = {
  /** In `reading` the store is read, in `asking` a person decides, in `unread` the store failed to answer. */
  readonly phase: 'reading' | 'asking' | 'unread';
  readonly policy: 'rebase' | 'fork';
  /** The id of the fork for unsaved answers, stable across attempts. */
  readonly forkId: string;
  /** The run that was aborted, or that was about to begin. */
  readonly run: ActiveRun | null;
  /** True when the promises of its turns are settled. A question or a failed store may take forever. */
  readonly isShown: boolean;
  /** The commands that resolved the conflict. */
  readonly askedBy: readonly string[];
};

/** A run that another page or device has begun in the stored session. */
export type Elsewhere = {
  /** True when the stored session has not changed for so long that the other device must be gone. */
  readonly isGone: boolean;
};

/** The messages of the stored branch that another page or device begins or answers. */
export type LeftToOthers = {
  /** True while the model of the other device has not answered. */
  readonly isFresh: boolean;
  /** Messages whose run has not begun. They stay in the stored queue. */
  readonly begun: readonly QueuedTurn[];
  /** Turns of this session that a run of the other device answers. */
  readonly answering: readonly Turn[];
};

/** The whole session apart from the state of the agent, which the journal holds. */
export type SessionModel = {
  /** In `ended` another runner has the session, and the store is fenced. */
  readonly phase: 'loading' | 'open' | 'unreadable' | 'deleted' | 'ended';
  readonly isDisposed: boolean;
  /** True when the session was disposed and work is still active. */
  readonly isLeaving: boolean;
  readonly hasStore: boolean;
  readonly run: ActiveRun | null;
  readonly paused: PausedRun | null;
  /** True when an answer or `resume` requested that the open run continues. */
  readonly goesOn: boolean;
  /** The request to run the last turn again. */
  readonly retry: RepeatedTurn | null;
  readonly moves: readonly Move[];
  readonly queue: readonly QueuedTurn[];
  /** True when the queue waits for a person: after an error or a reload. */
  readonly isHeld: boolean;
  readonly watchers: readonly Watcher[];
  readonly error: ErrorInfo | null;
  readonly retrying: readonly Retrying[];
  readonly draft: string;
  /** The title that a person chose. */
  readonly title: string | null;
  readonly tree: SessionTree;
  /** True when another tab leads, so nothing begins here. */
  readonly isFollowing?: boolean;
  /** True when the leader has sent nothing yet. */
  readonly awaitsLeader?: boolean;
  /** The unresolved conflict; nothing begins while it is present. */
  readonly conflict?: Conflict | null;
  /** The run of another page or device; nothing begins here until it ends or that device is gone. */
  readonly elsewhere?: Elsewhere | null;
  /** Absent while nobody else runs a turn. */
  readonly leftToOthers?: LeftToOthers;
  /** The move that has taken the session to another store; nothing begins here. */
  readonly moved?: SessionMove | null;
  /** A move that waits until no run goes on. */
  readonly departing?: Departing;
};

/** A move that was asked for, and the commands that did. */
export type Departing = Omit<SessionMove, 'isThere'> & { readonly askedBy: readonly string[] };

/** True while requested work has not ended. Work of another tab and a held stored queue do not count. */
export function hasWork(model: SessionModel): boolean {
  const { run, moves, retry, queue, hasStore, departing, conflict = null, isFollowing = false } = model;
  if (isFollowing) return false;
  return (
    conflict !== null ||
    run !== null ||
    departing !== undefined ||
    moves.length > 0 ||
    retry !== null ||
    (!hasStore && queue.length > 0)
  );
}

/** The turns that have not ended. */
export function openTurns(model: SessionModel): readonly Turn[] {
  const { run, conflict, paused, queue, moves, retry, leftToOthers } = model;
  const going = [run, conflict?.run ?? null, paused].flatMap((entry) =>
    entry === null ? [] : [entry.turn, ...entry.steered],
  );
  const waiting = [...(leftToOthers?.begun ?? []), ...queue, ...moves, ...(retry === null ? [] : [retry])];
  return [...going, ...(leftToOthers?.answering ?? []), ...waiting.map(({ turn }) => turn)];
}

/** True while another page or device runs the turn. */
export function isElsewhere({ elsewhere = null }: SessionModel): boolean {
  return elsewhere !== null && !elsewhere.isGone;
}

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

/** A state to begin with, and its branches. */
export type TabDocument = {
  readonly journalId: string;
  /** The ids of the known earlier journals, oldest first. */
  readonly earlier: readonly string[];
  readonly state: AgentState;
  readonly tree: SessionTree;
};

/** A place in the stored journal: all events of its first records. */
export type Cursor = {
  readonly journalId: string;
  /** The number of records, which is the number of the next one. */
  readonly record: number;
};

/** A cursor, and the last live message whose events its records hold. */
export type StoredPlace = Cursor & { readonly n: number };

/** The fields of the model that are sent when they change. */
export const mirroredFields = [
  'phase',
  'run',
  'paused',
  'goesOn',
  'retry',
  'moves',
  'queue',
  'isHeld',
  'error',
  'retrying',
  'draft',
  'title',
  'conflict',
  'elsewhere',
  'moved',
] as const;

/** The part of the leader's model that every tab shows. */
export type MirroredModel = Pick<SessionModel, (typeof mirroredFields)[number]>;

export type AgentLimits = { readonly budget: ExecutionBudget; readonly sessionBudget: SessionBudget };

/** The limits of an agent that runs elsewhere, and its version. */
export type RunnerLimits = AgentLimits & { readonly agentVersion: string | null };

/** The session apart from the state of the agent and its branches. */
export type TabView = MirroredModel &
  RunnerLimits & {
    readonly shownTitle: string;
    readonly persistence: PersistenceState;
    /** Ids of commands that were taken, so that a new leader repeats none of them. A change names the new ones. */
    readonly taken: readonly string[];
    /** The last stored place; null while it is not known. What was told behind it is a preview. */
    readonly stored: StoredPlace | null;
  };
