import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env, Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { SessionBudget } from '../graph/limits.ts';
import type { ExecutionBudget } from '../graph/execution-budget.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import type { PublishMode } from '../kit/frame-gate.ts';
import type { EffectLog } from '../run/effect-log.ts';
import type { AgentEventListener } from '../run/events.ts';
import type { MessageBranches } from './branches/conversation-branches.ts';
import type { SessionTree } from './branches/session-tree.ts';
import type { BusyPolicy, ConflictPolicy, SessionCommands, Turn } from './session-commands.ts';
import type { QueuedMessage } from './store/queued-message.ts';
import type { SessionMove } from './store/session-move.ts';
import type { Durability, SessionStore } from './store/session-store.ts';

/** The status of a session, for a chat to show. `SessionActivity` has the details. */
export type SessionStatus =
  /** The stored session is being read. */
  | 'loading'
  /** Nothing runs; a message begins a turn. */
  | 'ready'
  /** A turn has begun and no output has arrived yet. */
  | 'submitted'
  /** Output has arrived, and the turn goes on. */
  | 'streaming'
  /** A call waits for a person. */
  | 'awaiting-input'
  /** A run began and nobody continues it, for example after a reload. */
  | 'interrupted'
  /** Another page or device changed the stored session, and `onConflict: 'ask'` waits for `resolveConflict`. */
  | 'conflict'
  /** The last turn failed, or the stored session cannot be read; `error` has the reason. */
  | 'error'
  /** The stored session was deleted. */
  | 'deleted';

/** The place where a session runs. */
export type SessionPlace = 'tab' | 'server' | 'nobody';

/** The current work of a session, in one value. */
export type SessionActivity =
  /** Nothing runs. */
  | { readonly type: 'idle' }
  /** The model was called and has sent nothing yet, or only reasoning. */
  | { readonly type: 'thinking' }
  /** The answer streams. */
  | { readonly type: 'answering' }
  /** A tool runs. */
  | {
      readonly type: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly progress: JsonValue | null;
      /** The number of calls that run at the same time. */
      readonly others: number;
    }
  /** A subagent works. */
  | {
      readonly type: 'subagent';
      readonly toolCallId: string;
      readonly name: string;
      readonly activity: SessionActivity;
      readonly others: number;
    }
  /** A model call has failed and is made again. */
  | {
      readonly type: 'retrying';
      /** The number of the next attempt, counted from 1. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly until: Timestamp;
    }
  /** Tool calls wait for a person. */
  | { readonly type: 'waiting'; readonly toolCallIds: readonly string[] }
  /** The run waits at a breakpoint, for a person who debugs it; `AgentState.breakHits` says where. */
  | { readonly type: 'paused' }
  /** Another page or device runs the turn. Messages sent here wait, and its work is shown as it is stored. */
  | { readonly type: 'elsewhere' }
  /** The connection to the server of the session is lost and is made again; the last known state is shown. */
  | { readonly type: 'reconnecting' }
  /** This device is offline; the last known state is shown. */
  | { readonly type: 'offline' };

export type { OutgoingMessage, QueuedMessage } from './store/queued-message.ts';
export type {
  BusyPolicy,
  ConflictPolicy,
  Decision,
  Feedback,
  ForkPoint,
  ReleaseOptions,
  SendOptions,
  SessionCommands,
  Turn,
} from './session-commands.ts';

/** The state of saving, and the durability of a completed write. */
export type PersistenceState = {
  /**
   * The status of saving.
   * - `off`: there is no store.
   * - `unknown`: the store has not answered a read for 10 seconds; the session keeps waiting.
   * - `degraded`: the last read or write failed, so memory is ahead of the store.
   */
  readonly status: 'off' | 'idle' | 'saving' | 'saved' | 'degraded' | 'unknown';
  readonly durability: Durability;
  /** The reason why the store keeps less than expected, as a sentence for users; null for none. */
  readonly warning: string | null;
  readonly error: ErrorInfo | null;
  /** The id of the last fork that holds answers of this page: another writer had changed the session. */
  readonly forkedTo?: string;
};

/** A command that waits for a connection: a message with its text, or an answer to tool calls. */
export type UnsentCommand = {
  readonly id: string;
  readonly type: 'message' | 'answer';
  /** Empty for an answer. */
  readonly text: string;
};

/** The published state of a session: one immutable value per change. Unchanged fields keep their reference. */
export type SessionSnapshot = {
  /** The id; null until an anonymous session is first used. */
  readonly id: string | null;
  readonly title: string;
  readonly state: AgentState;
  /** The budget of the agent's definition. */
  readonly budget: ExecutionBudget;
  /** The budget that all runs of the session share, from the agent's definition. */
  readonly sessionBudget: SessionBudget;
  readonly status: SessionStatus;
  readonly activity: SessionActivity;
  /** The turn that runs or waits for a person; null when none does. */
  readonly turn: Turn | null;
  /**
   * The error of the last run, or the reason why the stored session cannot be read. It stays until the next turn or
   * `clearError`. A refused command (busy, empty, answered already) reports its error only in its own turn.
   */
  readonly error: ErrorInfo | null;
  /** Messages that were sent and have not begun, in the order in which they will. */
  readonly queue: readonly QueuedMessage[];
  /** The text that was typed and not sent. */
  readonly draft: string;
  readonly persistence: PersistenceState;
  /**
   * The place where the session runs: a tab of this browser, which may be this one, or a server. `nobody` until the
   * session is read, and while no runner is known or the connection to it is lost.
   */
  readonly where: SessionPlace;
  /** Commands of this page that wait for the connection to the place where the session runs; usually none. */
  readonly unsent: readonly UnsentCommand[];
  /** The mark of a session that was moved to another store, which has it now; null for one that is here. */
  readonly movedTo: SessionMove | null;
  /** The inactive branches, and the state before each turn. `Conversation.branches` reads it. */
  readonly tree: SessionTree;
};

/** The part of a store that sessions read; zustand's `createStore` returns one. */
export type SnapshotStore = {
  readonly getState: () => SessionSnapshot;
  readonly getInitialState: () => SessionSnapshot;
  readonly subscribe: (
    listener: (snapshot: SessionSnapshot, previous: SessionSnapshot) => void,
  ) => () => void;
};
/** A store that can be written, as `createStore` has to return; zustand's is one. */
export type WritableSnapshotStore = SnapshotStore & {
  readonly setState: (snapshot: SessionSnapshot, replace: true) => void;
};

/** A turn that ran, and the state after it. */
export type FinishInfo = { readonly turn: Turn; readonly state: AgentState };

/** Options that may change during the life of a session; they are read at each use. */
export type SessionSettings = {
  /** Called once for each run. */
  readonly onFinish?: ((info: FinishInfo) => void) | undefined;
  /** Called with each error of a turn. */
  readonly onError?: ((error: ErrorInfo) => void) | undefined;
  /** Called for each event as it happens, with the state after it. */
  readonly onEvent?: AgentEventListener | undefined;
  /** The agent that answers. */
  readonly agent: AgentDefinition;
  /**
   * The interval of snapshots. `frame` (default): at most one per frame of the page; `immediate`: every
   * change; a number: the least milliseconds between two.
   */
  readonly publish?: PublishMode | undefined;
  /** True continues a run that a reload interrupted as soon as the session is read. Default: false. */
  readonly resume?: boolean | undefined;
  /** The handling of a message that is sent during a run. Default: `queue`. */
  readonly onBusy?: BusyPolicy | undefined;
  /** The handling of a stored session that another writer changed. Default: `rebase`. */
  readonly onConflict?: ConflictPolicy | undefined;
};

/** Options of `createAgentSession`: settings that may change later, and fixed ones. */
export type AgentSessionOptions = SessionSettings & {
  /** The store of the session. Default: memory only. */
  readonly sessions?: SessionStore | undefined;
  /** The id of the session. Default: a new session, which is given an id and stored when it is first used. */
  readonly sessionId?: string | undefined;
  /** The state at the start; a stored session replaces it when it is read. Default: an empty one. */
  readonly initialState?: AgentState | undefined;
  /** The `tree` of the snapshot that `initialState` comes from. */
  readonly initialTree?: SessionTree | undefined;
  /** The draft at the start; with `sessions`, until the stored session is read. Default: empty. */
  readonly initialDraft?: string | undefined;
  /** The store for new sessions of `fork` when there is no `sessions`. Default: `fork` is unavailable. */
  readonly forks?: SessionStore | undefined;
  /** The clock and the ids, for tests. Default: those of the system. */
  readonly env?: Env | undefined;
  /** The log of model and tool calls: a run that another process continues repeats no recorded call. Default: none. */
  readonly effects?: EffectLog | undefined;
  /**
   * The id of the principal to whom the session belongs, on a server. Its tools run for the principal who sent the
   * message, and for the owner where no command names one. Default: none.
   */
  readonly owner?: string | undefined;
  /** Creates the published store; React passes zustand's. Default: a minimal store. */
  readonly createStore?: ((initial: () => SessionSnapshot) => WritableSnapshotStore) | undefined;
};

/** The outcome of `flush` and `dispose`. */
export type FlushResult = {
  /**
   * True when the store has everything, in this session or in the one that `persistence.forkedTo` names.
   * False when the store could not write it, and without a store.
   */
  readonly stored: boolean;
};

/** The framework-free controller of one conversation. */
export type AgentSession = SessionCommands & {
  /** The id; null until an anonymous session is first used. */
  readonly id: () => string | null;
  readonly store: SnapshotStore;
  /** The alternatives at a message of the active branch. */
  readonly branches: (messageId: string) => MessageBranches;
  /** Resolves when the stored session, if there is one, has been read. */
  readonly ready: Promise<void>;
  /** Adds a listener for events as they happen, not merged. */
  readonly onEvent: (listener: AgentEventListener) => () => void;
  readonly settings: () => SessionSettings;
  /** Changes the settings. Later turns use them; callbacks and `publish` apply at once. */
  readonly configure: (settings: SessionSettings) => void;
  /**
   * True when no command, run or write is open and no write has failed. A call that waits for a person, and a
   * held stored queue, count as settled.
   * The session itself answers, so the result is newer than the published snapshot may be.
   */
  readonly isSettled: () => boolean;
  /** Writes all changes and resolves when they were written or could not be. */
  readonly flush: () => Promise<FlushResult>;
  /**
   * Closes the session and resolves when everything was saved or could not be.
   * An active run continues and is saved; subscriptions and timers end with it. Turns that have not begun
   * stay in the stored queue, or are cancelled without a store. Later commands are refused, except `stop`.
   */
  readonly dispose: () => Promise<FlushResult>;
};

/** The persistence that the store reports before anything was read or written. */
export function firstPersistence(sessions: SessionStore | undefined): PersistenceState {
  return {
    status: sessions ? 'idle' : 'off',
    durability: sessions?.durability ?? 'none',
    warning: sessions?.warning ?? null,
    error: null,
  };
}
