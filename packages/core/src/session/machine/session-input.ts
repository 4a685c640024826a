import type { Timestamp } from '../../graph/env.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentEvent } from '../../run/events.ts';
import type {
  BusyPolicy,
  Decision,
  ForkPoint,
  OutgoingMessage,
  SendOptions,
  Turn,
} from '../agent-session.ts';
import type { Retrying } from './session-model.ts';
import type { RunOptions } from '../stores/queued-message.ts';
import type { TabDocument } from './tab-document.ts';
import type { TabView } from './tab-view.ts';
import type { SessionCheckpoint, SessionRecord } from '../stores/session-store.ts';

/** What becomes of a state; the engine brings the function that puts messages into it. */
export type StateUpdate = (
  state: AgentState,
  setMessages: (state: AgentState, messages: readonly Message[]) => AgentState,
) => AgentState;

/** What leaves the active line: an edit of a message, another answer, or the way to a line that was left. */
export type MoveRequest = {
  readonly kind: 'edit' | 'regenerate' | 'switch';
  readonly messageId: string | null;
  /** What an edit says instead. */
  readonly message: OutgoingMessage | null;
  readonly options: RunOptions;
  readonly at: Timestamp;
};

/** What somebody asks of a session. `id` names the command, and the turn that it may become. */
export type SessionCommand =
  | {
      readonly type: 'send';
      readonly id: string;
      readonly message: OutgoingMessage;
      readonly options: SendOptions;
      readonly onBusy: BusyPolicy;
    }
  | { readonly type: 'stop'; readonly id: string; readonly message: string }
  | { readonly type: 'resume'; readonly id: string; readonly isAutomatic: boolean }
  | { readonly type: 'retry'; readonly id: string }
  | {
      readonly type: 'answer';
      readonly id: string;
      readonly decisions: Readonly<Record<string, Decision>>;
    }
  | {
      readonly type: 'update';
      readonly id: string;
      readonly update: StateUpdate;
      /** The messages are replaced, so a title that was made of them goes. */
      readonly isErasing: boolean;
    }
  | { readonly type: 'reset'; readonly id: string }
  | ({ readonly type: 'move'; readonly id: string } & MoveRequest)
  | ({ readonly type: 'fork'; readonly id: string; readonly sessionId: string } & ForkPoint)
  | { readonly type: 'rename'; readonly id: string; readonly title: string }
  | { readonly type: 'clear-error'; readonly id: string }
  | { readonly type: 'cancel-queued'; readonly id: string; readonly queuedId: string }
  | { readonly type: 'set-draft'; readonly id: string; readonly draft: string }
  | { readonly type: 'dispose'; readonly id: string };

/** What became of what the machine had done. */
export type SessionOutcome =
  | {
      readonly type: 'opened';
      readonly record: SessionRecord | null;
      readonly error: ErrorInfo | null;
      readonly resume: boolean;
      /** The command that asked for it, when it is read again. */
      readonly commandId: string | null;
      /** Another tab runs the session. */
      readonly isFollowing?: boolean;
      /** Another tab ran it until now: what it told that follows what is stored, if anything does. */
      readonly takeover?: { readonly own: AgentState | null };
    }
  /** What the tab that runs the session tells. */
  | {
      readonly type: 'followed';
      readonly document: TabDocument | null;
      readonly events: readonly AgentEvent[];
      readonly view: Partial<TabView>;
    }
  /** A command that another tab has taken, which is gone: who gave it waits for its turn. */
  | { readonly type: 'attach'; readonly commandId: string; readonly kind: Turn['kind'] | null }
  | { readonly type: 'stored'; readonly runId: string; readonly isConflict: boolean }
  /** What stands in the store instead of ours; `unsaved` are the user's messages that it does not have. */
  | {
      readonly type: 'read-again';
      readonly runId: string;
      readonly record: SessionRecord | null;
      readonly error: ErrorInfo | null;
      readonly unsaved: readonly Message[];
      /** They, and what they were answered, went to a session of their own. */
      readonly isForked?: boolean;
    }
  /** A turn has begun, or plugins have written: what stood before the message. */
  | { readonly type: 'checkpoint'; readonly checkpoint: SessionCheckpoint }
  /** The messages were replaced. */
  | { readonly type: 'erased' }
  | { readonly type: 'steered'; readonly runId: string; readonly ids: readonly string[] }
  | { readonly type: 'retrying'; readonly retrying: readonly Retrying[] }
  | { readonly type: 'run-over'; readonly runId: string; readonly outcome: 'ended' | 'paused' }
  | { readonly type: 'deleted' }
  /** What was deleted is there again. */
  | { readonly type: 'restored' };

export type SessionInput = SessionCommand | SessionOutcome;

export type CommandOf<Type extends SessionCommand['type']> = Extract<SessionCommand, { readonly type: Type }>;
export type OutcomeOf<Type extends SessionOutcome['type']> = Extract<SessionOutcome, { readonly type: Type }>;

export function isCommand(input: SessionInput): input is SessionCommand {
  return 'id' in input;
}
