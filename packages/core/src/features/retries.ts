import type { RetryPolicy } from '../agent/agent-definition.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import { sleep } from '../kit/async.ts';
import { commit, emit } from '../run/run.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import {
  type Answer,
  type CallFailed,
  failedCallOf,
  type Feature,
  type ModelCall,
  type Run,
} from '../run/slots.ts';

/** Longest `retry-after` of an upstream that a run respects. */
const maxRetryAfterMs = 60_000;

/** Repeats a call that failed for the moment, before its first delta, as often as the agent allows. */
export const retries: Feature = (run) => ({
  async aroundModel(given, next) {
    for (let call: ModelCall = given; ; call = anotherAttempt(call)) {
      const outcome: Answer | CallFailed['call'] = await next(call).catch(failedCallOf);
      if ('response' in outcome) return outcome;
      await beforeRetry(run, call, outcome);
    }
  },
});

/** The next attempt, which is a call of its own: only the first one makes an interrupted call again. */
function anotherAttempt(call: ModelCall): ModelCall {
  return {
    ...call,
    attempt: call.attempt + 1,
    interrupted: null,
    prepareAgain: () => Promise.resolve(false),
  };
}

/** Waits before the next attempt. @throws the error of the call when there is none */
async function beforeRetry(run: Run, call: ModelCall, failed: CallFailed['call']): Promise<void> {
  const { attempt, interrupted } = call;
  const { maxAttempts } = run.agent.retry;
  // An interrupted answer that is no longer available is requested anew: its first half was shown before the reload.
  const isNew = interrupted === null || failed.isRecorded;
  // A reader who was away comes back to the part that came, and nobody has to ask for the rest.
  const isRepeated = !failed.hasStarted || !isNew || (failed.wasUnread && attempt < maxAttempts);
  if (!failed.retryable || !isRepeated) throw failed.error;
  if (attempt >= maxAttempts && isNew) giveUp(run, failed.error, attempt);
  const wanted = Math.min(failed.retryAfterMs ?? 0, maxRetryAfterMs);
  const delayMs = retryDelay(run.agent.retry, attempt, wanted, run.env.random);
  emit(run, { type: 'inference-retry', attempt, delayMs, error: toErrorInfo(run, failed.error) });
  await sleep(delayMs, run.signal, run.env.schedule);
}

function giveUp(run: Run, thrown: unknown, attempts: number): never {
  const error = toErrorInfo(run, thrown);
  commit(run, { type: 'error-record', error });
  const message = `Gave up after ${attempts} attempts: ${error.message}`;
  const context = { attempts, code: error.code };
  throw new AgentStopError(signalOf('retry-limit-reached', { message, context, source: 'retry' }, run.env));
}

/**
 * Milliseconds to wait before the next attempt. The delay doubles with "equal jitter" (half fixed, half random), so
 * that clients that failed together do not return together. It is never shorter than the upstream asked for.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return Math.max(retryAfterMs, ceiling / 2 + (random() * ceiling) / 2);
}
