import type { ModelChoice } from '../../graph/agent-state/chosen-model.ts';
import type { Timestamp } from '../../graph/env.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState, BreakEdit, Breakpoint, Grant } from '../../graph/types.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { BreakPlace } from '../../run/release-break.ts';
import type {
  BusyPolicy,
  ConflictPolicy,
  Decision,
  Feedback,
  ForkPoint,
  OutgoingMessage,
  SendOptions,
  Turn,
} from '../agent-session.ts';
import type { Cursor, Retrying, TabDocument, TabView } from './session-model.ts';
import type { QueuedMessage, TurnOptions } from '../store/queued-message.ts';
import type { SessionCheckpoint, SessionRecord } from '../store/session-store.ts';

/** A function that changes the state; the engine passes the function that sets the messages. */
export type StateUpdate = (
  state: AgentState,
  setMessages: (state: AgentState, messages: readonly Message[]) => AgentState,
) => AgentState;

/** A request to leave the active branch: an edit, another answer, or a switch to another branch. */
export type MoveRequest = {
  readonly kind: 'edit' | 'regenerate' | 'switch';
  readonly messageId: string | null;
  /** The new message of an edit; null otherwise. */
  readonly message: OutgoingMessage | null;
  readonly options: TurnOptions;
  readonly at: Timestamp;
  /** True for a command of another tab, which may be gone, so the text of an edit must be kept. */
  readonly isOfOtherTab?: boolean;
};

/** The run that a stop ends: a late stop ends no later one. Without a name it ends whatever runs. */
export type StoppedRun = {
  readonly turnId?: string;
  /** The execution of an open run; null when nothing ran where the stop was given. */
  readonly executionId?: string | null;
};

/** The id of the principal who gave a command, as a server that knows it says; absent in a page. */
export type Given = { readonly by?: string };
/** A request of a person who debugs the session. A place that is given has to be the one at which an agent waits. */
export type DebugAction =
  | { readonly type: 'set'; readonly breakpoint: Breakpoint }
  | { readonly type: 'remove'; readonly breakpointId: string }
  | {
      readonly type: 'release';
      readonly place?: BreakPlace;
      readonly edit?: BreakEdit;
      /** True to wait again before the next call. */
      readonly isStep?: boolean;
    };

/** A command of a caller. `id` names the command and the turn that it may make. */
export type SessionCommand = Given & { readonly id: string } & SessionRequest;

type SessionRequest =
  | {
      readonly type: 'send';
      readonly message: OutgoingMessage;
      readonly options: SendOptions;
      readonly onBusy: BusyPolicy;
      /** True when it was sent before the page was opened, so it waits for a person. */
      readonly isWaiting?: boolean;
    }
  | ({ readonly type: 'stop'; readonly message: string } & StoppedRun)
  | { readonly type: 'resume'; readonly isAutomatic: boolean }
  | { readonly type: 'retry' }
  | {
      readonly type: 'continue';
      /** Amounts beyond the limits; null grants every limit that was reached once more. */
      readonly grant: Grant | null;
      /** The execution that is meant, so that a late command continues no later one; null when there was none. */
      readonly executionId?: string | null;
      readonly at: Timestamp;
    }
  | { readonly type: 'answer'; readonly decisions: Readonly<Record<string, Decision>> }
  | {
      readonly type: 'update';
      readonly update: StateUpdate;
      /** True when the messages are replaced, which also removes a title made from them. */
      readonly isErasing: boolean;
    }
  | { readonly type: 'debug'; readonly action: DebugAction }
  | { readonly type: 'reset' }
  | ({ readonly type: 'move' } & MoveRequest)
  | ({ readonly type: 'fork'; readonly sessionId: string } & ForkPoint)
  | { readonly type: 'rename'; readonly title: string }
  | ({ readonly type: 'rate'; readonly messageId: string } & Feedback)
  | ({ readonly type: 'choose-model' } & ModelChoice)
  | { readonly type: 'clear-error' }
  | { readonly type: 'cancel-queued'; readonly queuedId: string }
  | { readonly type: 'set-draft'; readonly draft: string }
  | { readonly type: 'resolve-conflict'; readonly policy: 'rebase' | 'fork' }
  /** Brings the run to the end of its step and marks the session as moved. */
  | { readonly type: 'depart'; readonly place: string }
  /** Ends a move: the other store has the session, or it stays here. */
  | { readonly type: 'arrive'; readonly moveId: string; readonly isThere: boolean }
  | { readonly type: 'dispose' };

/** The end of a run: over, waiting for a person, or left after a step because the session moves. */
export type RunOutcome = 'ended' | 'paused' | 'left';

/** The result of an effect, or a notice from the store or another tab. */
export type SessionOutcome =
  | {
      readonly type: 'opened';
      readonly record: SessionRecord | null;
      readonly error: ErrorInfo | null;
      readonly resume: boolean;
      /** The command that requested another read; null for the first read. */
      readonly commandId: string | null;
      /** True when another tab leads. */
      readonly isFollowing?: boolean;
      /** Present when another tab led until now: its followed state where that is newer than the stored record. */
      readonly takeover?: { readonly own: AgentState | null };
    }
  /** A message of the leader. */
  | {
      readonly type: 'followed';
      readonly document: TabDocument | null;
      readonly events: readonly AgentEvent[];
      readonly view: Partial<TabView>;
      /** The place of this tab once it is taken, a stored cursor or the number of a live message; absent for none. */
      readonly mark?: { readonly at?: Cursor | null; readonly n?: number };
    }
  /** A command that a former leader took: its caller waits for the turn. */
  | { readonly type: 'attach'; readonly commandId: string; readonly kind: Turn['kind'] | null }
  | { readonly type: 'stored'; readonly runId: string }
  /** Another device has changed only the head of the session. */
  | { readonly type: 'head-changed'; readonly before: SessionHeadFacts; readonly after: SessionHeadFacts }
  /** Another writer changed the stored session, as a write or the claim of the writer epoch found. */
  | { readonly type: 'overtaken'; readonly policy: ConflictPolicy | 'end'; readonly forkId: string }
  /** The record of another writer after a conflict; null when it was deleted. */
  | {
      readonly type: 'read-again';
      readonly record: SessionRecord | null;
      readonly error: ErrorInfo | null;
      /** The draft that this session had last stored or read before. */
      readonly draftBefore: string;
      /** User messages that are not stored and have no answer. */
      readonly unsaved: readonly QueuedMessage[];
      /** The id of the fork that received the unsaved answers; null without a fork. */
      readonly forkedTo: string | null;
      /** The ids of user messages that the fork alone holds, or whose answers it holds. */
      readonly forkedTurns: readonly string[];
      /** True when the record is the last write of this session itself, whose answer was lost. */
      readonly isOwn?: boolean;
      /** True when another page or device runs the turn of the record. */
      readonly isElsewhere?: boolean;
      /** True when that run began while this session was about to begin one, and is in its first model call. */
      readonly isFresh?: boolean;
    }
  /** The device that ran the turn has stored nothing for a long time. */
  | { readonly type: 'other-gone'; readonly resume: boolean }
  /** The state before a message or before a write of plugins, kept for branches. */
  | { readonly type: 'checkpoint'; readonly checkpoint: SessionCheckpoint }
  /** The messages were replaced. */
  | { readonly type: 'erased' }
  /** Texts of these messages were removed from the active branch; `state` is the branch without them. */
  | { readonly type: 'texts-erased'; readonly ids: readonly string[]; readonly state: AgentState }
  | { readonly type: 'steered'; readonly runId: string; readonly ids: readonly string[] }
  | { readonly type: 'retrying'; readonly retrying: readonly Retrying[] }
  | { readonly type: 'run-over'; readonly runId: string; readonly outcome: RunOutcome }
  | { readonly type: 'deleted' }
  /** The deletion was undone. */
  | { readonly type: 'restored' };

/** The part of a stored head that other devices may change while a run goes on. */
export type SessionHeadFacts = Pick<SessionRecord, 'title' | 'draft' | 'queue' | 'movedTo'>;

export type SessionInput = SessionCommand | SessionOutcome;

export type CommandOf<Type extends SessionCommand['type']> = Extract<SessionCommand, { readonly type: Type }>;
export type OutcomeOf<Type extends SessionOutcome['type']> = Extract<SessionOutcome, { readonly type: Type }>;
/** The outcomes that only others who share the stored session cause; `opened` when this tab takes over from another. */
export type OutcomeOfOthers = OutcomeOf<
  'opened' | 'followed' | 'attach' | 'head-changed' | 'overtaken' | 'read-again' | 'other-gone'
>;

export function isCommand(input: SessionInput): input is SessionCommand {
  return 'id' in input;
}

/** True for a command that changes the stored session and must not run twice. */
export function isKept({ type }: SessionCommand): boolean {
  return !unkept.has(type);
}
const unkept: ReadonlySet<SessionCommand['type']> = new Set([
  'stop',
  'set-draft',
  'clear-error',
  'depart',
  'arrive',
  'dispose',
]);
