import type { AgentState } from '../../graph/types.ts';
import type { QueuedTurn, SessionModel } from './session-model.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';
import { newTurn } from './new-turn.ts';
import { isAnswered } from './state-facts.ts';
import { tell, type Transition } from './transition.ts';

const order: readonly QueuedTurn['lane'][] = ['interrupting', 'steered', 'queued'];

/** The queue with one more, behind those of its lane. */
export function enqueued(queue: readonly QueuedTurn[], entry: QueuedTurn): readonly QueuedTurn[] {
  const rank = order.indexOf(entry.lane);
  const at = queue.findIndex(({ lane }) => order.indexOf(lane) > rank);
  return at < 0 ? [...queue, entry] : [...queue.slice(0, at), entry, ...queue.slice(at)];
}

/** Takes the turns off the queue and tells who sent them. */
export function cancelled(model: SessionModel, which: (entry: QueuedTurn) => boolean): Transition {
  const gone = model.queue.filter(which);
  if (gone.length === 0) return { model, effects: [] };
  const queue = model.queue.filter((entry) => !which(entry));
  return tell(
    { ...model, queue },
    gone.map(({ turn }) => ({ ...turn, status: 'cancelled' as const })),
  );
}

/** Takes back the retry that waits for the run before it to end, and tells who asked for it. */
export function retryCancelled(model: SessionModel): Transition {
  if (model.retry === null) return { model, effects: [] };
  return tell({ ...model, retry: null }, [{ ...model.retry.turn, status: 'cancelled' }]);
}

/** What is to be stored of a queue: also the message that was put into the line and whose run has not begun yet. */
export function unbegun({ queue, run }: SessionModel): readonly QueuedTurn[] {
  return run !== null && run.begun !== null && run.phase !== 'running' ? [run.begun, ...queue] : queue;
}

/** What was stored of a queue, without what has been answered since. */
export function restored(stored: readonly QueuedMessage[], state: AgentState): readonly QueuedTurn[] {
  return stored
    .filter(({ id }) => !isAnswered(state, id))
    .map((message) => ({
      turn: newTurn(message.id, 'send'),
      message,
      lane: message.isSteered ? 'steered' : 'queued',
      conflicts: 0,
    }));
}
