import { messages } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import { jsonSize } from '../../kit/json-size.ts';
import { memoize } from '../../kit/memoize.ts';
import type { AgentChange } from '../../run/events.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';
import type { SessionBranch, SessionCheckpoint } from '../stores/session-store.ts';
import type { Head, Stored } from './saved.ts';

/** A tail below so many characters is never folded away. */
const smallTail = 64 * 1024;
/** A tail beyond so many characters is folded away in the middle of a run. */
const longTail = 1024 * 1024;
/** So old a time of the last change, in milliseconds, is told with the events; a younger one waits. */
const staleMs = 60_000;

/** What there is to write from, at one moment. */
export type Moment = {
  readonly journalId: string;
  /** As it is saved. */
  readonly state: AgentState;
  readonly head: Head;
  readonly branches: readonly SessionBranch[];
  readonly checkpoints: readonly SessionCheckpoint[];
  /** Since what is stored. */
  readonly events: readonly AgentChange[];
  /** Messages were erased since, and must not stay in what is stored. */
  readonly isErasing: boolean;
  /** The store takes events. */
  readonly canAppend: boolean;
  /** Something has to be written, be it nothing new: to learn whether what is stored is ours. */
  readonly isAsking: boolean;
};

/** What is to be written now. An append without a head leaves it as it is. */
export type WritePlan =
  | { readonly type: 'nothing' }
  | {
      readonly type: 'append';
      readonly events: readonly AgentChange[];
      readonly size: number;
      readonly head: Head | null;
    }
  | { readonly type: 'save' };

/** What is to be written now, given what is stored: an untouched session is not stored, and a tail grows as long as it is shorter than its snapshot. */
export function planWrite(stored: Stored | null, moment: Moment): WritePlan {
  if (stored === null) return { type: isWorthSaving(moment) ? 'save' : 'nothing' };
  const { events, head } = moment;
  const isSame = moment.journalId === stored.journalId;
  const isWhole = !isSame || moment.isErasing || moment.branches !== stored.branches;
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

/** A queue that was read is not the one that was written, though nothing has changed. */
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
 * A tail that is longer than its snapshot is folded away when a turn begins: as late as can be, for a session that does
 * not go on never. One run may make a longer tail, as far as reading it costs little.
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
