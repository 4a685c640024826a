import { isAgentError } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import { commit } from '../run/run.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import type { Feature, ReadyCall, Run, Batch } from '../run/slots.ts';

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
  return {
    async aroundModel(call, next) {
      const written = hasAsked ? run.untilWritten() : null;
      hasAsked = true;
      if (written !== null) await untilKnown(run, written);
      return next(call);
    },
    persist: (ready) => ready.tool.effects === 'idempotent' || isStored(run, ready, whenStored),
  };
};

/** Longest wait for a write before a further call of the model. */
const longestWriteMs = 1000;

async function untilKnown(run: Run, written: Promise<unknown>): Promise<void> {
  const { signal, env } = run;
  const guard = { author: 'store', signal, timeoutMs: longestWriteMs, schedule: env.schedule };
  await callGuarded(guard, () => written).catch(() => undefined);
  signal.throwIfAborted();
}

async function isStored(
  run: Run,
  { batch, call }: ReadyCall,
  whenStored: () => Promise<void>,
): Promise<boolean> {
  const guard = { author: 'store', signal: run.signal, timeoutMs: null };
  try {
    await callGuarded(guard, async () => {
      await othersReady(batch);
      await whenStored();
    });
    return true;
  } catch (thrown) {
    run.signal.throwIfAborted();
    if (isAgentError(thrown, 'session-conflict')) throw thrown;
    if (call.approval?.isInsisted === true) return true;
    const reason = `The start of this call could not be stored, so it might run twice after a reload: ${toErrorInfo(run, thrown).message}`;
    commit(run, { type: 'approval-request', toolCallId: call.id, cause: 'not-stored', reason });
    return false;
  }
}

/**
 * Waits for other calls that become ready in the same tick, which share one write. A slow hook delays only
 * its own call.
 */
function othersReady({ run, prepared }: Batch): Promise<void> {
  return new Promise((resolve) => {
    const cancel = run.env.schedule(0, resolve);
    void prepared.then(() => {
      cancel();
      resolve();
    });
  });
}
