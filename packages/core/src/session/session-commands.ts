import type { ErrorInfo } from '../graph/error-info.ts';
import type { Message } from '../graph/message.ts';
import type { StopReason } from '../graph/stop-reason.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import type { OutgoingMessage, RunOptions } from './stores/queued-message.ts';

/** What to do with a message that is sent while the agent runs. */
export type BusyPolicy = 'queue' | 'interrupt' | 'reject' | 'steer';

/**
 * What becomes of what a session has and could not store, when the stored one was changed elsewhere. `rebase`: messages
 * of the person go behind what is stored and the turn goes on, answers become a session of their own. `fork`: all of it
 * becomes a session of its own, and the turn is refused. `ask`: all of it stays, and the turn is refused, until another
 * policy is set and `retry` or the next message goes on.
 */
export type ConflictPolicy = 'rebase' | 'fork' | 'ask';

/** One piece of work that was asked for, as a value: what became of it is in it, never in the run before. */
export type Turn = {
  readonly id: string;
  readonly kind: 'send' | 'resume' | 'retry' | 'answer' | 'stop' | 'edit' | 'regenerate' | 'switch';
  readonly status: 'queued' | 'running' | 'awaiting-input' | 'done' | 'refused' | 'cancelled';
  /** Null until its run has ended. */
  readonly outcome: 'completed' | 'stopped' | 'failed' | null;
  readonly stopReason: StopReason | null;
  /** Why it was refused, or what its run failed with. */
  readonly error: ErrorInfo | null;
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

/** Where a session is forked: behind a message or a step of the active line; with neither at its end. */
export type ForkPoint = { readonly messageId?: string; readonly stepId?: string };

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
  /**
   * Says something else in the place of an earlier message of the person, and resolves with the turn that answers it.
   * The line as it stands is kept as a branch, what is behind the message included; the new one begins with what stood
   * before the message, plugin state as well. A run that goes on is stopped first. Refused (`message-not-found`) when
   * no message of the person in the active line has the id.
   */
  readonly edit: (
    messageId: string,
    message: string | OutgoingMessage,
    options?: RunOptions,
  ) => Promise<Turn>;
  /**
   * Answers a message of the person again: the given one, the one that the given answer belongs to, or the last. Keeps
   * the line as it stands as a branch, as `edit` does.
   */
  readonly regenerate: (messageId?: string, options?: RunOptions) => Promise<Turn>;
  /**
   * Goes to the line that holds a message, the one left last if there are several; the present one is kept. State of
   * plugins, run and error are those of that line. A run that goes on is stopped first, and messages that wait stay
   * in the queue until the next one is sent. Refused (`message-not-found`) when no line holds the message.
   */
  readonly switchBranch: (messageId: string) => Promise<Turn>;
  /**
   * Saves a new session that begins with what stands up to a message or step, plugin state as it was there, and resolves
   * with its id; this session and its run go on. What has no results yet is left out. Rejects: `message-not-found`, or
   * `session-storage` when it cannot be saved.
   */
  readonly fork: (point?: ForkPoint) => Promise<string>;
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
