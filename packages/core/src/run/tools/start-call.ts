import type { Tool } from '../../agent/tool.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import { guarded } from '../../kit/async.ts';
import { commit, stateOf } from '../run.ts';
import { callOf } from '../state-at.ts';
import { toErrorInfo } from '../to-error-info.ts';
import type { Batch } from './batch.ts';

/**
 * Commits the start of a call. A call of a `once` tool waits until that start is stored. When storage is
 * full or unavailable, the person decides whether it runs. When another writer owns the session, nobody is
 * asked, because that writer may have run the call.
 * @returns false when the call does not run now.
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
    if (isAgentError(thrown, 'session-conflict')) throw thrown;
    if (isInsisted) return true;
    const reason = `The start of this call could not be stored, so it might run twice after a reload: ${toErrorInfo(run, thrown).message}`;
    commit(run, { type: 'approval-request', toolCallId, cause: 'not-stored', reason });
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
