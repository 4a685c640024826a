import { currentStep } from '../graph/agent-state/accessors.ts';
import { unreported } from '../graph/usage-of-call.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { receivedBytes } from '../run/estimate-call.ts';
import { commit, hasLog, stateOf } from '../run/run.ts';
import { pricedUsage } from '../run/step/receive.ts';
import { CallFailed, type Feature, type InterruptedCall, type Run } from '../run/slots.ts';

/**
 * Makes a call again that a reload interrupted. It keeps its id, so that a proxy which still streams the answer
 * continues it. With an effect log, attempts go on where they were, and the call is charged only when its answer
 * is not recorded.
 */
export const interruptedCalls: Feature = (run) => ({
  aroundModel(call, next) {
    const interrupted = interruptedCall(run, call.wire);
    if (interrupted === null) return next(call);
    const { attempt, isCharged } = nextCall(run, interrupted);
    if (isCharged && !isPaidOnce(run)) charge(run, interrupted);
    const isOwed = hasLog(run) && !isPaidOnce(run) && interrupted.owed !== null;
    const prepareAgain = (): Promise<boolean> => {
      if (isOwed) charge(run, interrupted);
      return Promise.resolve(isOwed);
    };
    return next({ ...call, attempt, interrupted, prepareAgain });
  },
});

/** Charges an interrupted call whose answer its proxy has no longer. */
export const lostAnswers: Feature = (run) => ({
  async aroundModel(call, next) {
    try {
      return await next(call);
    } catch (thrown) {
      const isGone = thrown instanceof CallFailed && thrown.call.usage === null && !thrown.call.isRecorded;
      if (call.interrupted !== null && isGone && isPaidOnce(run)) charge(run, call.interrupted);
      throw thrown;
    }
  },
});

/** The attempt that continues an interrupted call, and whether that call is charged at once. */
function nextCall(run: Run, before: InterruptedCall): { attempt: number; isCharged: boolean } {
  if (run.recording !== null) return run.recording.nextCall(run.path);
  return hasLog(run) ? { attempt: before.attempt, isCharged: false } : { attempt: 1, isCharged: true };
}

/** True for a client whose continued answers are paid once. */
function isPaidOnce({ agent }: Run): boolean {
  return agent.inference.continuesAnswers === true;
}

function interruptedCall(run: Run, wire: InferenceRequest): InterruptedCall | null {
  const step = currentStep(stateOf(run));
  if (step === null || step.sent === null) return null;
  const { inferenceId: id, isCharged, attempt = 1 } = step.sent;
  if (isCharged === true) return { id, attempt, owed: null };
  const countIn = (): number => step.outputMessages.reduce((sum, { parts }) => sum + receivedBytes(parts), 0);
  return { id, attempt, owed: pricedUsage(run, wire, { model: null, countIn, reported: unreported }) };
}

function charge(run: Run, { owed: usage }: InterruptedCall): void {
  if (usage !== null) commit(run, { type: 'usage-charge', reason: 'interrupted', hook: null, usage });
}
