import type { AgentState } from '../../../graph/types.ts';
import { departureCancelled } from './departure.ts';
import { leaveIfIdle, pendingCancelled, turnsOf } from '../run-control.ts';
import { leftQueue } from '../queue.ts';
import { andThen, savedReply, settleTurns, to, type Transition } from '../transition.ts';
import { rereadEffect } from '../session-effect.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen } from '../state-facts.ts';

/** Disposes the session. Its run goes on and is saved; turns that have not begun stay in the stored queue. */
export function dispose(model: SessionModel, { id }: CommandOf<'dispose'>, state: AgentState): Transition {
  // The run belongs to another tab and does not end here.
  if (model.isFollowing === true)
    return to({ ...model, isDisposed: true }, savedReply(id), { type: 'leave' });
  const left = andThen(
    departureCancelled(model),
    (next) => takenBack(next, state),
    pendingCancelled,
    takenFromOthers,
    leftQueue,
    (next) => to({ ...next, isDisposed: true, isLeaving: true }, { type: 'save-soon' }, savedReply(id)),
    rereadOpenConflict,
  );
  return leaveIfIdle(left);
}

/** Takes back the messages that were left to others. */
function takenFromOthers(model: SessionModel): Transition {
  const { leftToOthers, ...own } = model;
  if (leftToOthers === undefined) return to(model);
  const turns = leftToOthers.answering.map((turn) => ({ ...turn, status: 'queued' as const }));
  return settleTurns({ ...own, queue: [...leftToOthers.begun, ...own.queue] }, turns);
}

/** Resolves an open conflict as its policy says, so that unsaved answers become a fork and nothing is lost. */
function rereadOpenConflict(model: SessionModel): Transition {
  const { conflict = null } = model;
  if (conflict === null || conflict.phase === 'reading') return to(model);
  const reading = { ...conflict, phase: 'reading' as const };
  return to({ ...model, conflict: reading }, rereadEffect(reading));
}

/** Returns a turn that has not reached the model to the queue. An open run stays. */
export function takenBack(model: SessionModel, state: AgentState): Transition {
  const { run } = model;
  if (run === null || run.phase === 'running' || isOpen(state)) return to(model);
  if (run.begun !== null) {
    const { begun } = run;
    const queue = [begun, ...model.queue];
    return to({ ...model, run: null, queue }, { type: 'take-back-message', id: begun.message.id });
  }
  return settleTurns({ ...model, run: null }, turnsOf(run, { status: 'cancelled' }));
}
