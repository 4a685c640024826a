import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env, Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { Message } from '../graph/message.ts';
import type { StopReason } from '../graph/stop-reason.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import type { PublishMode } from '../kit/frame-gate.ts';
import type { AgentEventListener } from '../run/events.ts';
import type { OutgoingMessage, QueuedMessage, RunOptions } from './stores/queued-message.ts';
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

/** What to do with a message that is sent while the agent runs. */
export type BusyPolicy = 'queue' | 'interrupt' | 'reject' | 'steer';

/** Whether what is in memory is stored, and what a completed write survives. */
export type PersistenceState = {
  /** `off` without a store; `degraded` when the last write failed: memory is ahead of the store. */
  readonly status: 'off' | 'idle' | 'saving' | 'saved' | 'degraded';
  readonly durability: Durability;
  readonly error: ErrorInfo | null;
};

/** One piece of work that was asked for, as a value: what became of it is in it, never in the run before. */
export type Turn = {
  readonly id: string;
  readonly kind: 'send' | 'resume' | 'retry' | 'answer' | 'stop';
  readonly status: 'queued' | 'running' | 'awaiting-input' | 'done' | 'refused' | 'cancelled';
  /** Null until its run has ended. */
  readonly outcome: 'completed' | 'stopped' | 'failed' | null;
  readonly stopReason: StopReason | null;
  /** Why it was refused, or what its run failed with. */
  readonly error: ErrorInfo | null;
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
};

/** What `createAgentSession` takes: what may change later, and what may not. */
export type AgentSessionOptions = SessionSettings & {
  /** Default: kept in memory only. */
  readonly sessions?: SessionStore | undefined;
  /** Default: made when the session is first used. */
  readonly sessionId?: string | undefined;
  readonly initialState?: AgentState | undefined;
  readonly env?: Env | undefined;
  /** Makes the store that is published; React passes zustand's. Default: one of a dozen lines. */
  readonly createStore?: ((initial: () => SessionSnapshot) => WritableSnapshotStore) | undefined;
};

/** How one message is sent: its model and tool choice, and what to do when a turn runs. */
export type SendOptions = RunOptions & { readonly onBusy?: BusyPolicy };
/** How a call is approved: with edited arguments, and remembered for the rest of the execution or session. */
export type ApproveOptions = { readonly input?: JsonValue; readonly remember?: 'execution' | 'session' };
/** How a call is rejected: with the reason that the model is told, and remembered or not. */
export type RejectOptions = { readonly reason?: string; readonly remember?: 'execution' | 'session' };
/** One answer of `respondAll`: an approval, a rejection, or the output of a call. */
export type Decision =
  | ({ readonly approved: true } & ApproveOptions)
  | ({ readonly approved: false } & RejectOptions)
  | { readonly output: JsonValue };

/** The commands: each is applied in order, to the state of its turn in the queue. All functions are stable. */
export type SessionCommands = {
  /** Resolves with its own turn when that is done, waits for a person, or was refused; never rejects. */
  readonly sendMessage: (message: string | OutgoingMessage, options?: SendOptions) => Promise<Turn>;
  /** The user's wish to stop, recorded as `user-requested`. Resolves when the run has ended. */
  readonly stop: (message?: string) => Promise<void>;
  /** Goes on with an interrupted run under the same executionId. */
  readonly resume: () => Promise<Turn>;
  /** Runs the last turn again after an error or stop. */
  readonly retry: () => Promise<Turn>;
  /** Lets a waiting call run, with edited arguments if there are any. Resolves with the turn that waited. */
  readonly approve: (toolCallId: string, options?: ApproveOptions) => Promise<Turn>;
  readonly reject: (toolCallId: string, options?: RejectOptions) => Promise<Turn>;
  /** The output of a call that the interface answers. */
  readonly respond: (toolCallId: string, output: JsonValue) => Promise<Turn>;
  /** All of them, or none: refused when one of the calls does not wait for such an answer. */
  readonly respondAll: (decisions: Readonly<Record<string, Decision>>) => Promise<Turn>;
  /** Like `update`: also while a run goes on, and without undoing what came meanwhile. */
  readonly setMessages: (
    next: readonly Message[] | ((messages: readonly Message[]) => readonly Message[]),
  ) => Promise<void>;
  /**
   * Changes the state by what the returned one differs in; also while a run goes on. Rejects with what `update` threw,
   * and when the stored session cannot be read, was deleted, or the session was disposed.
   */
  readonly update: (update: (state: AgentState) => AgentState) => Promise<void>;
  readonly rename: (title: string) => Promise<void>;
  readonly clearError: () => void;
  /** A new state under the same session id; ends the run that goes on, and cancels what waits in the queue. */
  readonly reset: () => Promise<void>;
  readonly cancelQueued: (id: string) => void;
  readonly setDraft: (text: string) => void;
};

/** The framework-free controller of one conversation. */
export type AgentSession = SessionCommands & {
  /** Null until an anonymous session is first used. */
  readonly id: () => string | null;
  readonly store: SnapshotStore;
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
