import { movesCancelled } from './moves.ts';
import { retryCancelled } from './queue.ts';
import type { SessionModel } from './session-model.ts';
import { andThen, type Transition } from './transition.ts';

/** Takes back what waits for the run before it to end, and tells who asked for it. */
export function pendingCancelled(model: SessionModel): Transition {
  return andThen(retryCancelled(model), movesCancelled);
}
