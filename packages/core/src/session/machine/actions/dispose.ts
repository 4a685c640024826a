import type { AgentState } from '../../../graph/types.ts';
import { pendingCancelled } from '../pending-cancelled.ts';
import { cancelled } from '../queue.ts';
import { leaving } from '../run-control.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen } from '../state-facts.ts';
import { reply, tell, andThen, to, type Transition } from '../transition.ts';

/**
 * Closes the session. What runs goes on and is saved; what has not begun stays in the stored queue, or is cancelled
 * where nothing is stored, and the model is not called for it.
 */
export function dispose(model: SessionModel, { id }: CommandOf<'dispose'>, state: AgentState): Transition {
  // What another tab runs is not ended here.
  if (model.isFollowing === true)
    return to({ ...model, isDisposed: true }, reply(id, null, 'now'), { type: 'leave' });
  const back = andThen(takenBack(model, state), pendingCancelled);
  const closed = andThen(back, (next) => {
    if (!next.hasStore || next.phase !== 'open') return cancelled(next, () => true);
    return tell(
      next,
      next.queue.map(({ turn }) => turn),
    );
  });
  const left = andThen(closed, (next) =>
    to({ ...next, isDisposed: true, isLeaving: true }, { type: 'save-soon' }, reply(id, null, 'saved')),
  );
  return leaving(left);
}

/**
 * A turn that has not come to the model yet goes back to where it came from. One that goes on with a run, because a
 * person has answered, is a run in progress.
 */
function takenBack(model: SessionModel, state: AgentState): Transition {
  const { run } = model;
  if (run === null || run.phase === 'running' || isOpen(state)) return to(model);
  if (run.begun !== null) {
    const { begun } = run;
    const queue = [begun, ...model.queue];
    return to({ ...model, run: null, queue }, { type: 'take-back-message', id: begun.message.id });
  }
  const turns = [run.turn, ...run.steered].map((turn) => ({ ...turn, status: 'cancelled' as const }));
  return tell({ ...model, run: null }, turns);
}
