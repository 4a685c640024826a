import { sleep } from '../kit/async.ts';

const firstMs = 250;
const longestMs = 8000;
/** Longest `retry-after` that is respected. */
const longestWaitMs = 60_000;

/**
 * Waits before the next connection: about twice as long after every failure, up to 8 s, and at least as long as the
 * server asked for. The wait ends early when the browser is online again. Rejects with the signal's reason.
 */
export async function reconnectPause(
  failures: number,
  waitMs: number | null,
  signal: AbortSignal,
): Promise<void> {
  const most = Math.min(longestMs, firstMs * 2 ** failures);
  // Half of the delay is random, so that many clients do not return at once.
  const ms = Math.max(most * (0.5 + Math.random() / 2), Math.min(waitMs ?? 0, longestWaitMs));
  await sleep(ms, signal, (delay, wake) => {
    const go = (): void => {
      cancel();
      wake();
    };
    const timer = setTimeout(go, delay);
    const cancel = (): void => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', go);
    };
    if (waitMs === null) globalThis.addEventListener?.('online', go);
    return cancel;
  });
}
