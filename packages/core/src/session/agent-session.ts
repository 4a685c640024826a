import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { StopReason } from '../graph/stop-reason.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { AgentEvent } from '../run/agent-event.ts';
import type { FilePart } from '../graph/message-part.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState, ExecutionStatus } from '../graph/types.ts';
import type { Durability, SessionStore } from './stores/session-store.ts';

/** What a chat shows: derived beside the ExecutionStatus. */
export type SessionStatus = 'ready' | 'submitted' | 'streaming' | 'awaiting-input' | 'error';

export type OutgoingMessage = {
  readonly text: string;
  readonly files?: readonly FilePart[];
  readonly metadata?: JsonObject;
};

export type QueuedMessage = OutgoingMessage & { readonly id: string };

/** What to do with a message that is sent while the agent runs. */
export type BusyPolicy = 'queue' | 'interrupt' | 'reject' | 'steer';

export type PersistenceState = {
  /** `off` without a store; `degraded` when the last write failed: memory is ahead of the store. */
  readonly status: 'off' | 'saved' | 'saving' | 'degraded';
  readonly durability: Durability;
  readonly error: ErrorInfo | null;
};

/** One immutable value per published change; fields keep their identity while their content does not change. */
export type AgentSessionSnapshot = {
  readonly id: string;
  /** False until a stored session has been read. */
  readonly isHydrated: boolean;
  readonly title: string;
  readonly state: AgentState;
  /** What the running or the next execution may spend, and has spent. */
  readonly budget: ExecutionBudget;
  readonly status: SessionStatus;
  /** The error that the last run ended with, until the next one or `clearError`. */
  readonly error: ErrorInfo | null;
  readonly queue: readonly QueuedMessage[];
  readonly persistence: PersistenceState;
};

export type TurnResult = { readonly status: ExecutionStatus | null; readonly stopReason: StopReason | null };

export type FinishInfo = TurnResult & { readonly state: AgentState };

/** Read when they are needed, so that they may change at any time. */
export type SessionCallbacks = {
  /** Exactly once per run. */
  readonly onFinish?: ((info: FinishInfo) => void) | undefined;
  readonly onError?: ((error: ErrorInfo) => void) | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
};

export type ApproveOptions = { readonly input?: JsonValue; readonly remember?: 'execution' | 'session' };
export type RejectOptions = { readonly reason?: string; readonly remember?: 'execution' | 'session' };

export type AgentSessionOptions = SessionCallbacks & {
  readonly agent: AgentDefinition;
  /** Default: kept in memory only. */
  readonly sessions?: SessionStore | undefined;
  readonly sessionId?: string | undefined;
  readonly initialState?: AgentState | undefined;
  /** `frame` (default): at most once per animation frame; `immediate`: every change; a number: at most every so many milliseconds. */
  readonly publish?: 'frame' | 'immediate' | number | undefined;
  /** Goes on with a run that a reload interrupted, as soon as the session is read. Default: false. */
  readonly resume?: boolean | undefined;
  /** Default: `queue`. */
  readonly onBusy?: BusyPolicy | undefined;
};

/** The framework-free controller of one conversation. All functions are stable and safe to pass around. */
export type AgentSession = {
  readonly id: string;
  readonly getSnapshot: () => AgentSessionSnapshot;
  readonly getInitialSnapshot: () => AgentSessionSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  /** Lifecycle events as they happen, not coalesced. */
  readonly onEvent: (listener: (event: AgentEvent) => void) => () => void;
  /** Resolves when the stored session, if there is one, has been read. */
  readonly ready: Promise<void>;
  readonly agent: () => AgentDefinition;
  /** Later runs use this definition. */
  readonly setAgent: (agent: AgentDefinition) => void;
  readonly setCallbacks: (callbacks: SessionCallbacks) => void;
  /** Resolves when the turn ends; model errors never reject. */
  readonly sendMessage: (
    message: string | OutgoingMessage,
    options?: { onBusy?: BusyPolicy },
  ) => Promise<TurnResult>;
  /** The user's wish to stop, recorded as `user-requested`. */
  readonly stop: (message?: string) => void;
  /** Leaves: subscribers may go, the run goes on and is saved. */
  readonly detach: () => void;
  /** Goes on with an interrupted or paused run under the same executionId. */
  readonly resume: () => Promise<TurnResult>;
  /** Runs the last turn again after an error or stop. */
  readonly retry: () => Promise<TurnResult>;
  readonly approve: (toolCallId: string, options?: ApproveOptions) => Promise<TurnResult>;
  readonly reject: (toolCallId: string, options?: RejectOptions) => Promise<TurnResult>;
  readonly respondAll: (
    decisions: Readonly<
      Record<string, ({ approved: true } & ApproveOptions) | ({ approved: false } & RejectOptions)>
    >,
  ) => Promise<TurnResult>;
  readonly setMessages: (messages: readonly Message[]) => void;
  /** Changes the state while no run is going on. @throws AgentError `session-busy` during a run. */
  readonly update: (update: (state: AgentState) => AgentState) => void;
  readonly rename: (title: string) => Promise<void>;
  readonly clearError: () => void;
  /** A new state under the same session id. */
  readonly reset: () => void;
  readonly cancelQueued: (id: string) => void;
  /** Writes what is not saved yet. */
  readonly flush: () => Promise<void>;
  /** Ends subscriptions and timers; a run in progress is stopped. */
  readonly dispose: () => Promise<void>;
};
