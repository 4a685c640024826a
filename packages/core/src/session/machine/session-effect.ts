import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AddressedEvent } from '../../run/answer-call.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { Turn } from '../agent-session.ts';
import type { StateUpdate } from './session-input.ts';
import type { QueuedMessage, RunOptions } from '../stores/queued-message.ts';
import type { TabDocument } from './tab-document.ts';

/** What the machine wants done, as data. Effects are done in order, before the next input is looked at. */
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
  /** A new journal on the given state, or on a blank one, with the messages put behind it. */
  | { readonly type: 'new-journal'; readonly base: AgentState | null; readonly behind: readonly Message[] }
  /** Takes up what another tab tells: what it begins with anew, or events that follow what is here. */
  | {
      readonly type: 'follow';
      readonly document: TabDocument | null;
      readonly events: readonly AgentEvent[];
    }
  /** Saves what stands at the beginning of the line as a session of its own. */
  | {
      readonly type: 'fork';
      readonly commandId: string;
      readonly sessionId: string;
      /** How many messages it begins with. */
      readonly end: number;
    }
  /** Saves now and tells whether the session was changed elsewhere. */
  | { readonly type: 'store'; readonly runId: string }
  | { readonly type: 'read-again'; readonly runId: string }
  | {
      readonly type: 'run';
      readonly runId: string;
      readonly options: RunOptions;
      /** With a message the run is stopped before it begins: it ends what is open, without a call of the model. */
      readonly stop: string | null;
    }
  | { readonly type: 'abort'; readonly runId: string; readonly message: string }
  /** The same, and whatever it still does is not heard. */
  | { readonly type: 'abandon'; readonly runId: string; readonly message: string }
  | { readonly type: 'save-soon' }
  /** Tells who asked; `saved`: when what happened has been written, or could not be. */
  | {
      readonly type: 'reply';
      readonly commandId: string;
      readonly turn: Turn | null;
      readonly when: 'now' | 'saved';
    }
  | { readonly type: 'reject'; readonly commandId: string; readonly error: ErrorInfo }
  /** The run is over: callbacks hear of it. */
  | { readonly type: 'finish'; readonly turn: Turn }
  | { readonly type: 'report'; readonly error: ErrorInfo }
  /** Reads the stored session again, which could not be read. */
  | { readonly type: 'open-again'; readonly commandId: string | null }
  /** Nothing more is stored until it is read again: the entry was removed. */
  | { readonly type: 'forget-store' }
  /** Nothing goes on any more: the last write, then the end of subscriptions and timers. */
  | { readonly type: 'leave' };
