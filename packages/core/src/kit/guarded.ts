import type { AgentError } from './agent-error.ts';
import * as errors from './errors.ts';
import { longestTimerMs } from './longest-timer.ts';

export type Guard = {
  /** The author of the code, for the error: `hook "audit"`, `tool "search"`. */
  readonly author: string;
  /** Ends the wait with its reason. Null: only the time limit ends it. */
  readonly signal: AbortSignal | null;
  /**
   * Milliseconds until the wait ends. Null, NaN, Infinity and values above a timer's limit (24.8 days) mean no limit.
   */
  readonly timeoutMs: number | null;
  /** Calls `f` after `ms` milliseconds, unless the returned function is called before. Default: `setTimeout`. */
  readonly schedule?: (ms: number, f: () => void) => () => void;
};

/**
 * Waits for user code no longer than the signal and the time limit allow. The code is not started under an aborted
 * signal. Its errors reject the promise, at once or later; its results after the wait are ignored.
 * @throws AgentError `user-code-timeout` with `data: { author, timeoutMs }`, or the signal's reason.
 */
export function guarded<Value>(guard: Guard, call: () => Value | PromiseLike<Value>): Promise<Value> {
  const { signal } = guard;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const outcome = new Promise<Value>((resolve) => resolve(call()));
  return new Promise<Value>((resolve, reject) => {
    let cancelTimer = (): void => undefined;
    // This also runs after the race is lost: then the listener and the timer are gone and the promise is settled.
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
