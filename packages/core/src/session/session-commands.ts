import type { ErrorInfo } from '../graph/error-info.ts';
import type { Message } from '../graph/message.ts';
import type { StopReason } from '../graph/stop-reason.ts';
import type { AgentState, BreakCondition, BreakEdit, Grant } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import type { SessionStore } from './store/session-store.ts';
import type { BreakPlace } from '../run/release-break.ts';
import type { OutgoingMessage, TurnOptions } from './store/queued-message.ts';

/** The handling of a message that is sent while the agent runs. */
export type BusyPolicy = 'queue' | 'interrupt' | 'reject' | 'steer';

/**
 * The handling of a stored session that another page or device changed. The active run is aborted at once.
 * - `rebase`: the session continues from the stored one, turns that had not begun come after it, and unsaved
 *   answers become a session of their own.
 * - `fork`: everything unsaved becomes a session of its own.
 * - `ask`: nothing is merged, `status` is `conflict`, and `resolveConflict` decides.
 */
export type ConflictPolicy = 'rebase' | 'fork' | 'ask';

/** The result of one command as an immutable value. It never describes an earlier run. */
export type Turn = {
  /** The id of the turn. */
  readonly id: string;
  /** The command that began the turn; `answer` is one of `approve`, `reject`, `respond` and a release. */
  readonly kind:
    'send' | 'resume' | 'retry' | 'continue' | 'answer' | 'stop' | 'edit' | 'regenerate' | 'switch';
  /**
   * The status. `overtaken` means that another page or device wrote during the run, which was aborted;
   * `moved`, that the session moved during the turn, which goes on there.
   */
  readonly status:
    'queued' | 'running' | 'awaiting-input' | 'done' | 'refused' | 'cancelled' | 'overtaken' | 'moved';
  /** The id of the principal who gave the command, in a session of a server; absent in a page. */
  readonly by?: string | undefined;
  /** The outcome of the run; null until it has ended. */
  readonly outcome: 'completed' | 'stopped' | 'failed' | null;
  /** The reason why the run ended; null until it has. */
  readonly stopReason: StopReason | null;
  /** The reason of a refusal, or the error of the run; null for none. */
  readonly error: ErrorInfo | null;
  /** True when the turn is stored, in this session or in `forkedTo`. False without a store. */
  readonly stored: boolean;
  /** The id of the fork with its messages, because the stored session continued without them; null for none. */
  readonly forkedTo: string | null;
};

/** Options of one message: its model and tool choice, and its handling while a turn runs. */
export type SendOptions = TurnOptions & { readonly onBusy?: BusyPolicy };
/** Options of an approval: edited arguments, and whether it is remembered for the execution or session. */
export type ApproveOptions = { readonly input?: JsonValue; readonly remember?: 'execution' | 'session' };
/** Options of a rejection: the reason for the model, and whether it is remembered. */
type RejectOptions = { readonly reason?: string; readonly remember?: 'execution' | 'session' };
/** One answer of `respondAll`: an approval, a rejection, or the output of a call. */
export type Decision =
  | ({ readonly approved: true } & ApproveOptions)
  | ({ readonly approved: false } & RejectOptions)
  | { readonly output: JsonValue };

/** The feedback of a person on an answer: a thumb, or null to take it back, and a reason. */
export type Feedback = { readonly rating: 'up' | 'down' | null; readonly text?: string };

/** The place to release, when agents wait at several. Default: the first. */
export type ReleaseOptions = { readonly place?: BreakPlace };

/** The point of a fork: after a message or a step of the active branch, or at its end by default. */
export type ForkPoint = { readonly messageId?: string; readonly stepId?: string };

/** The commands of a session. They apply in order, to the state of their turn. All functions are stable. */
export type SessionCommands = {
  /** Sends a message. Resolves with its turn when that is done, waits for a person, or was refused; never rejects. */
  readonly sendMessage: (message: string | OutgoingMessage, options?: SendOptions) => Promise<Turn>;
  /** Stops the run at the user's request, recorded as `user-requested`. Resolves when the run has ended. */
  readonly stop: (message?: string) => Promise<void>;
  /** Continues an interrupted run under the same executionId. */
  readonly resume: () => Promise<Turn>;
  /** Runs the last turn again after an error or stop. */
  readonly retry: () => Promise<Turn>;
  /**
   * Lets a run go on that a limit, a person or failed retries stopped: the same run, with all that it has done. No
   * message is added, no tool runs again, and nothing is paid twice. An answer that was cut off is asked for again.
   * Limits then count against the budget and the `grant`. By default every limit that was reached is granted once more.
   * Refused (`session-idle`) when no such run is the last one, and when there is nothing to grant.
   * @example
   * await session.continueRun({ grant: { steps: 10 } })
   */
  readonly continueRun: (options?: { readonly grant?: Grant }) => Promise<Turn>;
  /**
   * Replaces an earlier message of the user and resolves with the turn that answers it. An active run is stopped first.
   * The present branch is kept with everything after the message. The new branch begins with the state before the
   * message, plugin state included. Refused (`message-not-found`) when no user message of the active branch has the id.
   */
  readonly edit: (
    messageId: string,
    message: string | OutgoingMessage,
    options?: TurnOptions,
  ) => Promise<Turn>;
  /** Answers a user message again: the given one, that of the given answer, or the last. Keeps the branch. */
  readonly regenerate: (messageId?: string, options?: TurnOptions) => Promise<Turn>;
  /**
   * Switches to the branch that holds a message; of several, to the one left last. The present branch is kept. Plugin
   * state, run and error become those of that branch. An active run is stopped first, and queued messages are held
   * until the next one is sent. Refused (`message-not-found`) when no branch holds the message.
   */
  readonly switchBranch: (messageId: string) => Promise<Turn>;
  /**
   * Saves a new session with the messages up to a message or step, and the plugin state at that point. Resolves with
   * its id. This session and its run continue. Calls without results are left out. Rejects with `message-not-found`, or
   * `session-storage` when it cannot be saved.
   */
  readonly fork: (point?: ForkPoint) => Promise<string>;
  /** Runs a waiting call, with edited arguments if given. Resolves with the turn that waited. */
  readonly approve: (toolCallId: string, options?: ApproveOptions) => Promise<Turn>;
  /** Refuses a waiting call. The model is told so, with the reason if there is one. */
  readonly reject: (toolCallId: string, options?: RejectOptions) => Promise<Turn>;
  /** Answers a call with the output that the interface provides. */
  readonly respond: (toolCallId: string, output: JsonValue) => Promise<Turn>;
  /** Answers several calls, all or none: refused when one of them does not wait for such an answer. */
  readonly respondAll: (decisions: Readonly<Record<string, Decision>>) => Promise<Turn>;
  /** Has the open run stop before its next model call or tool call. Without a run it does nothing. */
  readonly pause: () => Promise<void>;
  /** Sets a breakpoint, which stays over runs and reloads. `id` replaces that of this id. Resolves with its id. */
  readonly setBreakpoint: (on: BreakCondition, options?: { readonly id?: string }) => Promise<string>;
  /** Removes a breakpoint. A run that waits at it goes on waiting. */
  readonly removeBreakpoint: (id: string) => Promise<void>;
  /**
   * Lets a run that waits at a breakpoint go on to its next model call or tool call, where it waits again.
   * Resolves with the turn when it ends or waits again.
   */
  readonly stepOver: (options?: ReleaseOptions) => Promise<Turn>;
  /**
   * Lets a run that waits at a breakpoint go on, with an edit if there is one. Resolves with the turn when it
   * ends or waits again. Refused (`session-idle`) when no run waits there, and (`edit-invalid`) for an edit that
   * does not fit the place.
   */
  readonly releaseWith: (edit?: BreakEdit, options?: ReleaseOptions) => Promise<Turn>;
  /** Replaces the messages as `update` does, also during a run and without undoing later changes. */
  readonly setMessages: (
    next: readonly Message[] | ((messages: readonly Message[]) => readonly Message[]),
  ) => Promise<void>;
  /**
   * Applies the differences between the given and the returned state, also during a run. Rejects with the error of
   * `update`, and when the stored session cannot be read, was deleted, or the session was disposed.
   */
  readonly update: (update: (state: AgentState) => AgentState) => Promise<void>;
  /**
   * Resolves a conflict with `onConflict: 'ask'`, while `status` is `conflict`. `rebase` continues from the stored
   * session with unsaved user messages after it; `fork` saves everything unsaved as a session of its own. Resolves when
   * that is done, and at once without a conflict.
   */
  readonly resolveConflict: (policy: 'rebase' | 'fork') => Promise<void>;
  /**
   * Moves the session to another place, such as the `sessions` of `agentServer`. The active run ends its step first, and
   * goes on there under the same execution id. The stored copy here stays readable and takes no commands.
   * Called again after a page died in between, it finishes the move.
   * Rejects with the reason when the other place does not take the session, which then stays here and goes on.
   */
  readonly moveTo: (sessions: SessionStore) => Promise<void>;
  /**
   * Keeps what a person thinks of an answer, in the metadata of its message: `feedback`, `feedback_text`, and on a server
   * `feedback_by`. The same again changes nothing. Rejects for a message that is no answer of the active branch.
   */
  readonly rate: (messageId: string, feedback: Feedback) => Promise<void>;
  /**
   * Chooses the model of the runs to come, and its reasoning effort. It stays with the session and its branches. A run that
   * goes on keeps its own. A null model is that of the agent, with its effort where none is given; a null effort of another
   * model is the usual one of that model. A server may refuse it.
   */
  readonly chooseModel: (choice: {
    readonly model: string | null;
    readonly reasoning?: string | null;
  }) => Promise<void>;
  /** Gives the session a title. */
  readonly rename: (title: string) => Promise<void>;
  /** Removes the error of the last turn. */
  readonly clearError: () => void;
  /** Begins a new state under the same session id, ends the active run and cancels the queue. */
  readonly reset: () => Promise<void>;
  /** Cancels a queued message by its id. */
  readonly cancelQueued: (id: string) => void;
  /** Keeps the text that a person has typed and not sent, also over a reload. */
  readonly setDraft: (text: string) => void;
};
