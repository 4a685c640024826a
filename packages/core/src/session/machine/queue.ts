import { givenTurn, settleTurns, to, type Transition } from './transition.ts';
import { jsonSize } from '../../kit/json.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Move, QueuedTurn, SessionModel } from './session-model.ts';
import type { OutgoingMessage, QueuedMessage } from '../store/queued-message.ts';
import { isAnswered } from './state-facts.ts';

const order: readonly QueuedTurn['lane'][] = ['interrupting', 'steered', 'queued'];

/** Most waiting messages, and most characters of all of them as JSON: each save of the session writes them. */
const most = { messages: 50, characters: 16 * 2 ** 20 };

/** True for a message that may wait behind those of a queue. A first one may be of any size. */
export function hasRoom(queue: readonly QueuedTurn[], message: OutgoingMessage): boolean {
  if (queue.length === 0) return true;
  const characters = queue.reduce((sum, entry) => sum + jsonSize(entry.message), jsonSize(message));
  return queue.length < most.messages && characters <= most.characters;
}

/** The queue with one more entry, behind the others of its lane. */
export function enqueueTurn(queue: readonly QueuedTurn[], entry: QueuedTurn): readonly QueuedTurn[] {
  const rank = order.indexOf(entry.lane);
  const at = queue.findIndex(({ lane }) => order.indexOf(lane) > rank);
  return at < 0 ? [...queue, entry] : [...queue.slice(0, at), entry, ...queue.slice(at)];
}

/** Removes the matching turns from the queue and settles their promises. */
export function cancelTurns(model: SessionModel, which: (entry: QueuedTurn) => boolean): Transition {
  const gone = model.queue.filter(which);
  if (gone.length === 0) return { model, effects: [] };
  const queue = model.queue.filter((entry) => !which(entry));
  return settleTurns(
    { ...model, queue },
    gone.map(({ turn }) => ({ ...turn, status: 'cancelled' as const })),
  );
}

/** Settles the queue of a closed session: a stored queue stays in the store, any other is cancelled. */
export function leftQueue(model: SessionModel): Transition {
  if (!model.hasStore || model.phase !== 'open') return cancelTurns(model, () => true);
  return settleTurns(
    model,
    model.queue.map(({ turn }) => turn),
    'saved',
  );
}

/** Cancels the retry that waits for the current run to end, and settles its promise. */
export function retryCancelled(model: SessionModel): Transition {
  if (model.retry === null) return { model, effects: [] };
  return settleTurns({ ...model, retry: null }, [{ ...model.retry.turn, status: 'cancelled' }]);
}

/** The part of the queue to store. A message on the branch whose run has not begun, here or elsewhere, is part of it. */
export function unbegun({ queue, run, leftToOthers }: SessionModel): readonly QueuedTurn[] {
  const own = run !== null && run.begun !== null && run.phase !== 'running' ? [run.begun, ...queue] : queue;
  return leftToOthers === undefined || leftToOthers.begun.length === 0
    ? own
    : [...leftToOthers.begun, ...own];
}

/** The stored queue without the messages that were answered since. */
export function restoreQueue(stored: readonly QueuedMessage[], state: AgentState): readonly QueuedTurn[] {
  return stored
    .filter(({ id }) => !isAnswered(state, id))
    .map((message) => ({
      turn: givenTurn(message, 'send'),
      message,
      lane: message.isSteered ? 'steered' : 'queued',
      conflicts: 0,
    }));
}

/** Cancels moves that have not begun. The texts of edits go to the queue of a stored session. */
export function movesCancelled(model: SessionModel): Transition {
  if (model.moves.length === 0) return to(model);
  const entries = model.moves.flatMap((move) => (model.hasStore ? (queuedEdit(move) ?? []) : []));
  const kept = new Set(entries.map(({ turn }) => turn.id));
  const turns = model.moves.flatMap(({ turn }) =>
    kept.has(turn.id) ? [] : [{ ...turn, status: 'cancelled' as const }],
  );
  return settleTurns({ ...model, moves: [], queue: [...model.queue, ...entries] }, turns);
}

/** The text of an edit as a queued message; null for a move without a text. */
export function queuedEdit({ turn, message, conflicts }: Move): QueuedTurn | null {
  if (message === null) return null;
  return { turn: { ...turn, status: 'queued' }, message, lane: 'queued', conflicts };
}
