import type { AgentState } from '../../../graph/types.ts';
import type { QueuedMessage } from '../../agent-session.ts';
import { enqueued } from '../queue.ts';
import { asksForPolicy, busy, emptyMessage, isEmptyMessage, refusal } from '../refusals.ts';
import { stopped } from '../run-control.ts';
import type { CommandOf } from '../session-input.ts';
import type { QueuedTurn, SessionModel } from '../session-model.ts';
import { isWaiting } from '../state-facts.ts';
import { keptMessage } from '../../stores/queued-message.ts';
import { newTurn } from '../new-turn.ts';
import { readOnce } from './overtaken.ts';
import { refuse, reply, andThen, to, type Transition, watching } from '../transition.ts';

/** Queues a message; it begins when no work is before it. */
export function send(model: SessionModel, command: CommandOf<'send'>, state: AgentState): Transition {
  const { id, onBusy } = command;
  const isBusy = model.run !== null || isWaiting(state);
  const error =
    refusal(model) ??
    (isEmptyMessage(command.message) ? emptyMessage() : null) ??
    (isBusy && onBusy === 'reject' ? busy() : null);
  if (error !== null) return refuse(model, { id, kind: 'send', error });
  const lane = isBusy ? laneOf(onBusy) : 'queued';
  const entry: QueuedTurn = {
    turn: newTurn(id, 'send'),
    message: queuedMessage(command, lane),
    lane,
    conflicts: 0,
  };
  const queue = enqueued(model.queue, entry);
  const { conflict = null, run } = model;
  // A question may stay open forever, so the turn settles as queued.
  if (conflict?.phase === 'asking')
    return to({ ...model, queue, isHeld: false }, reply(id, { ...entry.turn, error: asksForPolicy() }));
  // A message that was sent before the page was opened is held like the stored queue.
  const isHeld = command.isWaiting === true && (model.isHeld || (run === null && model.queue.length === 0));
  const queued = to(watching({ ...model, queue, isHeld }, id, id), { type: 'save-soon' });
  if (conflict?.phase === 'unread') return andThen(queued, (next) => readOnce(next, conflict));
  if (lane !== 'interrupting' || run === null) return queued;
  return andThen(queued, (next) => stopped(next, run, 'Interrupted by a new message'));
}

function laneOf(onBusy: CommandOf<'send'>['onBusy']): QueuedTurn['lane'] {
  if (onBusy === 'interrupt') return 'interrupting';
  return onBusy === 'steer' ? 'steered' : 'queued';
}

function queuedMessage(
  { id, message, options: { model } }: CommandOf<'send'>,
  lane: QueuedTurn['lane'],
): QueuedMessage {
  return {
    ...keptMessage(message),
    id,
    isSteered: lane === 'steered',
    ...(model === undefined ? {} : { options: { model } }),
  };
}
