import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AddressedEvent } from '../../run/answer-call.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { Turn } from '../agent-session.ts';
import type { StateUpdate } from './session-input.ts';
import type { QueuedMessage, TurnOptions } from '../store/queued-message.ts';
import type { Conflict, TabDocument } from './session-model.ts';

/** An effect that the machine returns, as data. Effects run in order, before the next input. */
export type SessionEffect =
  | { readonly type: 'commit'; readonly events: readonly AddressedEvent[] }
  | { readonly type: 'add-message'; readonly message: QueuedMessage }
  | { readonly type: 'take-back-message'; readonly id: string }
  | { readonly type: 'drop-incomplete-answer' }
  | {
      readonly type: 'update';
      readonly id: string;
      readonly update: StateUpdate;
      readonly isErasing: boolean;
    }
  /** Begins a journal on the given state, or on a blank one, with the messages appended to it. */
  | { readonly type: 'new-journal'; readonly base: AgentState | null; readonly behind: readonly Message[] }
  /** Applies the document of another tab, or events that continue the local state. */
  | { readonly type: 'follow'; readonly document: TabDocument | null; readonly events: readonly AgentEvent[] }
  /** Saves the first messages of the branch as a session of its own. */
  | {
      readonly type: 'fork';
      readonly commandId: string;
      readonly sessionId: string;
      /** The number of messages that the fork begins with. */
      readonly end: number;
    }
  /** Saves now and takes the writer epoch, then reports that the run may begin. */
  | { readonly type: 'store'; readonly runId: string }
  /** Reads the stored session and forks the unsaved answers; commands wait meanwhile. */
  | {
      readonly type: 'read-again';
      readonly policy: 'rebase' | 'fork';
      readonly forkId: string;
      /** True when a run was aborted, so the session cannot go on as it was. */
      readonly isAborted: boolean;
    }
  /** Reads the stored session now and then while another device runs the turn. */
  | { readonly type: 'watch-run' }
  | {
      readonly type: 'run';
      readonly runId: string;
      readonly options: TurnOptions;
      /** A stop message ends the open run before it begins, without a call of the model. */
      readonly stop: string | null;
    }
  | { readonly type: 'abort'; readonly runId: string; readonly message: string }
  /** As `abort`; later events of the run are ignored. */
  | { readonly type: 'abandon'; readonly runId: string; readonly message: string }
  | { readonly type: 'save-soon' }
  /** Settles the promise of a command, at once or after the write; `all-saved`: stored if the whole session is. */
  | {
      readonly type: 'reply';
      readonly commandId: string;
      readonly turn: Turn | null;
      readonly when: 'now' | 'saved' | 'all-saved';
    }
  | { readonly type: 'reject'; readonly commandId: string; readonly error: ErrorInfo }
  /** Reports the end of the run to callbacks. */
  | { readonly type: 'finish'; readonly turn: Turn }
  | { readonly type: 'report'; readonly error: ErrorInfo }
  /** Reads the stored session again after it could not be read. */
  | { readonly type: 'open-again'; readonly commandId: string | null }
  /** Stops writes until the session is read again, because its entry was removed. */
  | { readonly type: 'forget-store' }
  /** Leaves the link at once, without a message for its followers. */
  | { readonly type: 'fall-silent' }
  /** Performs the last write, then ends subscriptions and timers. No work is active any more. */
  | { readonly type: 'leave' };

/** Returns the effect that reads the stored session for a conflict. */
export function rereadEffect({ policy, forkId, run }: Conflict): SessionEffect {
  return { type: 'read-again', policy, forkId, isAborted: run?.phase === 'running' };
}
