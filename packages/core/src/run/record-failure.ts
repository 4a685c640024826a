import type { HookPoint } from '../agent/hook.ts';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { type ErrorInfo, of as errorInfo } from '../graph/error-info.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import { addOnce } from './decide.ts';
import { commit, isLeaseRevoked } from './run.ts';
import type { Run } from './slots.ts';

/** Records a thrown value in the state: a signal for an AgentStopError, else an error with `error-forbade`. */
export async function recordFailure(run: Run, thrown: unknown): Promise<void> {
  if (isLeaseRevoked(thrown)) throw thrown;
  if (isAgentStopError(thrown)) return addOnce(run, thrown.signal);
  const error = toErrorInfo(run, thrown);
  commit(run, { type: 'error-record', error });
  const init = { message: error.message, source: error.name, context: { code: error.code } };
  commit(run, { type: 'stop-signal', signal: signalOf('error-forbade', init, run.env) });
  await showError(run, error);
}

async function showError(run: Run, error: ErrorInfo): Promise<void> {
  try {
    await run.slots.at('on-error', [error]);
  } catch (thrown) {
    if (isLeaseRevoked(thrown)) throw thrown;
    // The error of an error hook is recorded, and calls no error hooks again.
    if (isAgentStopError(thrown)) addOnce(run, thrown.signal);
    else commit(run, { type: 'error-record', error: toErrorInfo(run, thrown) });
  }
}

/** A thrown value as data, with the agent's own redaction. */
export function toErrorInfo(run: Run, thrown: unknown): ErrorInfo {
  return errorInfo(thrown, run.agent.redactError ?? undefined);
}

/** Shows features a point of the run. What they throw is recorded. */
export async function showPoint(run: Run, point: HookPoint): Promise<void> {
  try {
    await run.slots.at(point);
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
}
