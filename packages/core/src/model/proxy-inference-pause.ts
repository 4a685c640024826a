import { sleep } from '../kit/async.ts';
import { isHidden } from './read-ahead.ts';

const firstMs = 250;
const longestMs = 8000;
/** Longest `retry-after` that is respected. */
const longestWaitMs = 60_000;
/** The events of a window after which a connection may succeed. */
const returns = ['online', 'visibilitychange'] as const;

/** True while the page is hidden or offline, as on a locked phone: that its connections fail says nothing of the server. */
export function isAway(): boolean {
  return isHidden() || globalThis.navigator?.onLine === false;
}

/**
 * Waits before the next connection: about twice as long after every failure, up to 8 s, and at least as long as the
 * server asked for. The wait ends early when the page is seen or online again. Rejects with the signal's reason.
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
    const onReturn = (): void => (isHidden() ? undefined : go());
    const cancel = (): void => {
      clearTimeout(timer);
      for (const type of returns) globalThis.removeEventListener?.(type, onReturn);
    };
    if (waitMs === null) for (const type of returns) globalThis.addEventListener?.(type, onReturn);
    return cancel;
  });
}
