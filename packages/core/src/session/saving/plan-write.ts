import { messages } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import { jsonSize } from '../../kit/json.ts';
import { memoize } from '../../kit/memoize.ts';
import type { AgentChange } from '../../run/events.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';
import type { SessionBranch, SessionCheckpoint } from '../stores/session-store.ts';
import type { Head, Stored } from './saved.ts';

/** The tail length in characters below which it is never folded into the snapshot. */
const smallTail = 64 * 1024;
/** The tail length in characters beyond which it is folded during a run. */
const longTail = 1024 * 1024;
/** The age at which `updatedAt` is written along with events, in milliseconds. A younger change waits. */
const staleMs = 60_000;

/** The input of a write plan. */
export type Moment = {
  readonly journalId: string;
  /** The state as it is saved. */
  readonly state: AgentState;
  readonly head: Head;
  readonly branches: readonly SessionBranch[];
  readonly checkpoints: readonly SessionCheckpoint[];
  /** The events since the last write. */
  readonly events: readonly AgentChange[];
  /** True when messages were erased since the last write and must not stay stored. */
  readonly isWhole: boolean;
  /** True when the store appends events. */
  readonly canAppend: boolean;
  /** True when a write is needed even without changes, to find out whether the stored session is ours. */
  readonly isAsking: boolean;
};

/** The next write. An append without a head leaves the stored head unchanged. */
export type WritePlan =
  | { readonly type: 'nothing' }
  | {
      readonly type: 'append';
      readonly events: readonly AgentChange[];
      readonly size: number;
      readonly head: Head | null;
    }
  | { readonly type: 'save' };

/**
 * Plans the next write. An untouched session is not stored; a tail grows while it is shorter than its
 * snapshot.
 */
export function planWrite(stored: Stored | null, moment: Moment): WritePlan {
  if (stored === null) return { type: isWorthSaving(moment) ? 'save' : 'nothing' };
  const { events, head } = moment;
  const isSame = moment.journalId === stored.journalId;
  const isWhole = !isSame || moment.isWhole || moment.branches !== stored.branches;
  const hasEvents = events.length > 0 || (!moment.canAppend && moment.state !== stored.state);
  const isOther = hasNewHead(stored.head, head);
  if (!isWhole && !hasEvents && !isOther && !moment.isAsking) return { type: 'nothing' };
  const size = jsonSize(events);
  if (isWhole || !moment.canAppend || isOutgrown(stored, events, size)) return { type: 'save' };
  const isStale = head.updatedAt - stored.head.updatedAt > staleMs;
  return { type: 'append', events, size, head: isOther || isStale || !hasEvents ? head : null };
}

function isWorthSaving({ state, head }: Moment): boolean {
  return messages(state).length > 0 || head.queue.length > 0 || head.draft !== '' || head.title !== '';
}

function hasNewHead(stored: Head, head: Head): boolean {
  return (
    stored.title !== head.title ||
    !isSameQueue(stored.queue, head.queue) ||
    stored.draft !== head.draft ||
    stored.executionStatus !== head.executionStatus
  );
}

/** Compares by content, because a queue that was read is another object than the written one. */
function isSameQueue(stored: Head['queue'], queue: Head['queue']): boolean {
  return (
    stored === queue ||
    (stored.length === queue.length && stored.every((entry, index) => isSameMessage(entry, queue[index])))
  );
}

function isSameMessage(stored: QueuedMessage, message: QueuedMessage | undefined): boolean {
  return stored.id === message?.id && stored.isSteered === message.isSteered;
}

const snapshotSize = memoize((snapshot: AgentState): number => jsonSize(snapshot));

/**
 * True when the tail is longer than its snapshot and may be folded: when a turn begins, so that folding is
 * rare.
 * Within one run the tail may grow further, while reading it stays cheap.
 */
function isOutgrown({ tailSize, snapshot }: Stored, events: readonly AgentChange[], size: number): boolean {
  const tail = tailSize + size;
  const isAllowed = events.some(isTurn) || (tail > longTail && !isDelta(events.at(-1)));
  return isAllowed && tail > smallTail && tail > snapshotSize(snapshot);
}

function isTurn(event: AgentChange): boolean {
  return event.type === 'message-add' && event.path.length === 0 && event.source === 'user';
}

/** In the middle of an answer its text would be written twice. */
function isDelta(event: AgentChange | undefined): boolean {
  return event?.type === 'text-delta' || event?.type === 'reasoning-delta';
}
