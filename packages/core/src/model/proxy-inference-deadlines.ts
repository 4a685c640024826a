import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { longestTimerMs } from '../kit/async.ts';

/** The time limits of a call, as a signal for its requests. */
export type Deadlines = {
  /** Aborted with the caller's signal, or with an Error that names the exceeded limit. */
  readonly signal: AbortSignal;
  readonly idleMs: number;
  /** Reports the first event, which ends its time limit. */
  readonly hasBegun: () => void;
  readonly release: () => void;
};

/** Starts the time limits. Infinity is no limit. */
export function createDeadlines(
  caller: AbortSignal,
  timeouts: ProxyInferenceOptions['timeouts'] = {},
): Deadlines {
  const { firstEventMs = 120_000, idleMs = 60_000, totalMs = 900_000 } = timeouts;
  const controller = new AbortController();
  const expire = (what: string, ms: number): ReturnType<typeof setTimeout> =>
    setTimeout(
      () => controller.abort(new Error(`The model ${what} within ${ms / 1000} s.`)),
      Math.min(ms, longestTimerMs),
    );
  const first = expire('did not begin to answer', firstEventMs);
  const total = expire('did not finish its answer', totalMs);
  const onAbort = (): void => controller.abort(caller.reason);
  let isWaiting = true;
  if (caller.aborted) onAbort();
  caller.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    idleMs: Math.min(idleMs, longestTimerMs),
    hasBegun() {
      // Called with every event, so the timer is cleared once.
      if (isWaiting) clearTimeout(first);
      isWaiting = false;
    },
    release() {
      clearTimeout(first);
      clearTimeout(total);
      caller.removeEventListener('abort', onAbort);
    },
  };
}
