import { currentStep } from '../graph/agent-state/accessors.ts';
import { isAgentError } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import { commit, stateOf } from '../run/run.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import { indexOfCall } from '../run/state-at.ts';
import type { Feature, ReadyCall, Run } from '../run/slots.ts';

/**
 * Lets the effect of a `once` tool begin when the start of its call is stored. When storage is full or unavailable, the
 * person decides whether it runs. When another writer owns the session, nobody is asked, because that writer may have
 * run the call. A further call of the model waits for the write behind the last step, so that an overtaken device does
 * not pay for it.
 */
export const storedStart: Feature = (run) => {
  const { whenStored } = run;
  if (whenStored === null) return {};
  let hasAsked = false;
  const waiting = new Map<number, () => void>();

  /** Lets questions about calls that failed together be asked in the order of the calls. */
  function turnToAsk(id: string): Promise<void> {
    const at = indexOfCall(currentStep(stateOf(run))?.toolExecutions ?? [], id);
    return new Promise((ask) => {
      if (waiting.set(at, ask).size > 1) return;
      run.env.schedule(0, () => {
        for (const first of [...waiting.keys()].sort((a, b) => a - b)) waiting.get(first)?.();
        waiting.clear();
      });
    });
  }

  async function isStored({ batch, call }: ReadyCall, store: () => Promise<void>): Promise<boolean> {
    const guard = { author: 'store', signal: run.signal, timeoutMs: null };
    try {
      await callGuarded(guard, store);
      return true;
    } catch (thrown) {
      run.signal.throwIfAborted();
      if (isAgentError(thrown, 'session-conflict')) throw thrown;
      if (call.approval?.isInsisted === true) return true;
      if (batch.inFlight.size > 1) await turnToAsk(call.id);
      run.signal.throwIfAborted();
      const reason = `The start of this call could not be stored, so it might run twice after a reload: ${toErrorInfo(run, thrown).message}`;
      commit(run, { type: 'approval-request', toolCallId: call.id, cause: 'not-stored', reason });
      return false;
    }
  }

  return {
    async aroundModel(call, next) {
      const written = hasAsked ? run.untilWritten() : null;
      hasAsked = true;
      if (written !== null) await untilKnown(run, written);
      return next(call);
    },
    persist: (ready) => ready.tool.effects === 'idempotent' || isStored(ready, whenStored),
  };
};

const longestWriteMs = 1000;

async function untilKnown(run: Run, written: Promise<unknown>): Promise<void> {
  const { signal, env } = run;
  const guard = { author: 'store', signal, timeoutMs: longestWriteMs, schedule: env.schedule };
  await callGuarded(guard, () => written).catch(() => undefined);
  signal.throwIfAborted();
}
