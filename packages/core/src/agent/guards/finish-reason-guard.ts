import { of as signalOf } from '../../graph/stop-signal.ts';
import type { FinishReason } from '../../graph/inference-response.ts';
import { currentStepOrLast } from '../../graph/agent-state/accessors.ts';
import { guard } from './guard.ts';
import type { Hook } from '../hook.ts';

/** Stops the run when the model's last answer ended for one of the given reasons, e.g. `length`. */
export function finishReasonGuard(reasons: readonly FinishReason[]): Hook {
  return guard(
    'finish-reason',
    (state, ctx) => {
      const finishReason = currentStepOrLast(state)?.inferenceResponse?.finishReason;
      if (finishReason === undefined || !reasons.includes(finishReason)) return null;
      const message = `The model finished with ${JSON.stringify(finishReason)}`;
      return signalOf('finish-reason-received', { message, context: { finishReason } }, ctx.env);
    },
    { on: 'after-step' },
  );
}
