import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env, Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import type { PublishMode } from '../kit/frame-gate.ts';
import type { AgentEventListener } from '../run/events.ts';
import type { MessageBranches } from './branches/message-branches.ts';
import type { SessionTree } from './branches/session-tree.ts';
import type { BusyPolicy, ConflictPolicy, SessionCommands, Turn } from './session-commands.ts';
import type { QueuedMessage } from './stores/queued-message.ts';
import type { Durability, SessionStore } from './stores/session-store.ts';

/** What a chat shows; the one source of what is going on, with `SessionActivity` for the details. */
export type SessionStatus =
  /** The stored session is being read. */
  | 'loading'
  | 'ready'
  /** A turn has begun and nothing has come yet. */
  | 'submitted'
  | 'streaming'
  /** A call waits for a person. */
  | 'awaiting-input'
  /** A run was begun and nobody goes on with it: a reload came between. */
  | 'interrupted'
  | 'error'
  | 'deleted';

/** What is going on, in one value. */
export type SessionActivity =
  | { readonly type: 'idle' }
  /** The model was called and nothing has come yet, or it reasons. */
  | { readonly type: 'thinking' }
  | { readonly type: 'answering' }
  | {
      readonly type: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly progress: JsonValue | null;
      /** Calls that run beside it. */
      readonly others: number;
    }
  | {
      readonly type: 'subagent';
      readonly toolCallId: string;
      readonly name: string;
      readonly activity: SessionActivity;
      readonly others: number;
    }
  | {
      readonly type: 'retrying';
      /** The attempt that comes next, counted from 1. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly until: Timestamp;
    }
  | { readonly type: 'waiting'; readonly toolCallIds: readonly string[] };

export type { OutgoingMessage, QueuedMessage } from './stores/queued-message.ts';
export type {
  BusyPolicy,
  ConflictPolicy,
  Decision,
  ForkPoint,
  SendOptions,
  SessionCommands,
  Turn,
} from './session-commands.ts';

/** Whether what is in memory is stored, and what a completed write survives. */
export type PersistenceState = {
  /** `off` without a store; `degraded` when the last write failed: memory is ahead of the store. */
  readonly status: 'off' | 'idle' | 'saving' | 'saved' | 'degraded';
  readonly durability: Durability;
  /** Why the store keeps less than one would hope, for people; null when there is nothing to say. */
  readonly warning: string | null;
  readonly error: ErrorInfo | null;
  /** The session that answers of this page went to, because the stored one had gone on without them; the last one. */
  readonly forkedTo?: string;
};

/** One immutable value per published change; fields keep their identity while their content does not change. */
export type SessionSnapshot = {
  /** Null until an anonymous session is first used. */
  readonly id: string | null;
  readonly title: string;
  readonly state: AgentState;
  /** The budget of the agent's definition. */
  readonly budget: ExecutionBudget;
  readonly status: SessionStatus;
  readonly activity: SessionActivity;
  /** The turn that runs or waits for a person; null when none does. */
  readonly turn: Turn | null;
  /**
   * What the last run failed with, or why the stored session cannot be read or was not gone on with, until the next
   * turn or `clearError`. A refused command (busy, empty, answered already) tells its caller only, in its turn.
   */
  readonly error: ErrorInfo | null;
  /** What was sent and has not begun, in the order in which it will. */
  readonly queue: readonly QueuedMessage[];
  /** What a person has typed and not sent. */
  readonly draft: string;
  readonly persistence: PersistenceState;
  /** The lines that were left, and what stood before each turn. `Conversation.branches` reads it. */
  readonly tree: SessionTree;
};

/** As much of a store as is read here; zustand's `createStore` makes one. */
export type SnapshotStore = {
  readonly getState: () => SessionSnapshot;
  readonly getInitialState: () => SessionSnapshot;
  readonly subscribe: (
    listener: (snapshot: SessionSnapshot, previous: SessionSnapshot) => void,
  ) => () => void;
};
/** A store that can be written, as `createStore` has to make one; zustand's is. */
export type WritableSnapshotStore = SnapshotStore & {
  readonly setState: (snapshot: SessionSnapshot, replace: true) => void;
};

/** A turn that ran, and the state that it left. */
export type FinishInfo = { readonly turn: Turn; readonly state: AgentState };

/** Read when they are needed, so that they may change at any time. */
export type SessionCallbacks = {
  /** Once per run that ran. */
  readonly onFinish?: ((info: FinishInfo) => void) | undefined;
  readonly onError?: ((error: ErrorInfo) => void) | undefined;
  readonly onEvent?: AgentEventListener | undefined;
};

/** Options that may change during the life of a session; they are read when they are needed. */
export type SessionSettings = SessionCallbacks & {
  readonly agent: AgentDefinition;
  /** `frame` (default): at most once per frame of the page; `immediate`: every change; a number: at most every so many milliseconds. */
  readonly publish?: PublishMode | undefined;
  /** Goes on with a run that a reload interrupted, as soon as the session is read. Default: false. */
  readonly resume?: boolean | undefined;
  /** Default: `queue`. */
  readonly onBusy?: BusyPolicy | undefined;
  /** Read when the stored session turns out to have been changed elsewhere. Default: `rebase`. */
  readonly onConflict?: ConflictPolicy | undefined;
};

/** What `createAgentSession` takes: what may change later, and what may not. */
export type AgentSessionOptions = SessionSettings & {
  /** Default: kept in memory only. */
  readonly sessions?: SessionStore | undefined;
  /** Default: made when the session is first used. */
  readonly sessionId?: string | undefined;
  readonly initialState?: AgentState | undefined;
  /** The `tree` of the snapshot that `initialState` is from. */
  readonly initialTree?: SessionTree | undefined;
  /** What was typed before; with `sessions` until it is known what is stored. Default: nothing. */
  readonly initialDraft?: string | undefined;
  /** Where `fork` puts new sessions when there is no `sessions`. Default: there is no fork then. */
  readonly forks?: SessionStore | undefined;
  readonly env?: Env | undefined;
  /** Makes the store that is published; React passes zustand's. Default: one of a dozen lines. */
  readonly createStore?: ((initial: () => SessionSnapshot) => WritableSnapshotStore) | undefined;
};

/** The framework-free controller of one conversation. */
export type AgentSession = SessionCommands & {
  /** Null until an anonymous session is first used. */
  readonly id: () => string | null;
  readonly store: SnapshotStore;
  /** The alternatives at the place of a message of the active line. */
  readonly branches: (messageId: string) => MessageBranches;
  /** Resolves when the stored session, if there is one, has been read. */
  readonly ready: Promise<void>;
  /** Events as they happen, not coalesced. */
  readonly onEvent: (listener: AgentEventListener) => () => void;
  readonly settings: () => SessionSettings;
  /** Later turns use these; callbacks and `publish` at once. */
  readonly configure: (settings: SessionSettings) => void;
  /** Writes what is not saved yet. */
  readonly flush: () => Promise<void>;
  /**
   * Closes the session and resolves when what is there was saved. A run in progress goes on and is saved; subscriptions
   * and timers end with it. What had not begun stays in the stored queue (without a store it is cancelled); later
   * commands are refused, `stop` is not.
   */
  readonly dispose: () => Promise<void>;
};
