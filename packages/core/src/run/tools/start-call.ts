import type { Tool } from '../../agent/tool.ts';
import { guarded } from '../../kit/guarded.ts';
import { commit, stateOf } from '../run.ts';
import { callOf } from '../state-at.ts';
import { toErrorInfo } from '../to-error-info.ts';
import type { Batch } from './batch.ts';

/**
 * Tells that a call starts. One that may have its effect only once waits until that is stored; where it cannot be, the
 * call is put back to the person, who may let it run all the same.
 * @returns false when it does not run now.
 * @throws the run's reason to end.
 */
export async function startCall(
  batch: Batch,
  { effects }: Tool,
  toolCallId: string,
  key: string,
): Promise<boolean> {
  const { run } = batch;
  const { whenStored } = run;
  const isInsisted = callOf(stateOf(run), toolCallId)?.approval?.cause === 'not-stored';
  commit(run, { type: 'tool-start', toolCallId, key });
  if (effects === 'idempotent' || whenStored === null) return true;
  const guard = { author: 'store', signal: run.signal, timeoutMs: null };
  try {
    await guarded(guard, async () => {
      await othersReady(batch);
      await whenStored();
    });
    return true;
  } catch (thrown) {
    run.signal.throwIfAborted();
    if (isInsisted) return true;
    const reason = `That it starts could not be stored, so after a reload nobody would know: ${toErrorInfo(run, thrown).message}`;
    commit(run, { type: 'approval-request', toolCallId, cause: 'not-stored', reason });
    return false;
  }
}

/** Calls that become ready in one tick share one write; one whose hooks take longer holds up nobody. */
function othersReady({ run, turn }: Batch): Promise<void> {
  return new Promise((resolve) => {
    const cancel = run.env.schedule(0, resolve);
    void turn.then(() => {
      cancel();
      resolve();
    });
  });
}
