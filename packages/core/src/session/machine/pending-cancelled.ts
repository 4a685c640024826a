import { movesCancelled } from './moves.ts';
import { retryCancelled } from './queue.ts';
import type { SessionModel } from './session-model.ts';
import { andThen, type Transition } from './transition.ts';

/** Cancels the retry and the moves that wait for the current run to end, and settles their promises. */
export function pendingCancelled(model: SessionModel): Transition {
  return andThen(retryCancelled(model), movesCancelled);
}
