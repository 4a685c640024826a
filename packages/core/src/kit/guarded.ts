import type { AgentError } from './agent-error.ts';
import * as errors from './errors.ts';
import { longestTimerMs } from './longest-timer.ts';

export type Guard = {
  /** Who wrote the code, for the error: `hook "audit"`, `tool "search"`. */
  readonly author: string;
  /** Ends the wait with its reason. Null: only the time limit does. */
  readonly signal: AbortSignal | null;
  /** Milliseconds until the wait ends. Null, NaN, Infinity and more than a timer can count (24.8 days): no limit. */
  readonly timeoutMs: number | null;
  /** Calls `f` after so many milliseconds, unless the function that it gives back is called first. Default: `setTimeout`. */
  readonly schedule?: (ms: number, f: () => void) => () => void;
};

/**
 * What user code gives, waited for no longer than the signal and the time limit allow; its code is not started when
 * the signal is aborted already. What it throws rejects the promise, at once or later; what it does after the wait has
 * ended is ignored.
 * @throws AgentError `user-code-timeout` with `data: { author, timeoutMs }`, or the signal's reason.
 */
export function guarded<Value>(guard: Guard, call: () => Value | PromiseLike<Value>): Promise<Value> {
  const { signal } = guard;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const outcome = new Promise<Value>((resolve) => resolve(call()));
  return new Promise<Value>((resolve, reject) => {
    let cancelTimer = (): void => undefined;
    // Also run when the race is lost already: the listener and the timer are gone then, and the promise is settled.
    const settle = (answer: () => void): void => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      answer();
    };
    const onAbort = (): void => settle(() => reject(signal?.reason));
    cancelTimer = startTimer(guard, (error) => settle(() => reject(error)));
    outcome.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort);
  });
}

function startTimer(guard: Guard, onTimeout: (error: AgentError) => void): () => void {
  const { author, timeoutMs, schedule = scheduleTimeout } = guard;
  const isLimited = timeoutMs !== null && timeoutMs <= longestTimerMs;
  if (!isLimited) return () => undefined;
  const ms = Math.max(0, timeoutMs);
  return schedule(ms, () => onTimeout(errors.userCodeTimeout({ author, timeoutMs: ms })));
}

function scheduleTimeout(ms: number, f: () => void): () => void {
  const timer = setTimeout(f, ms);
  return () => clearTimeout(timer);
}
