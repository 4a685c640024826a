import type { RetryPolicy } from '../../agent/agent-definition.ts';

/**
 * Milliseconds to wait before the next attempt. The delay doubles with "equal jitter" (half fixed, half
 * random), so that clients that failed together do not return together. It is never shorter than the
 * upstream asked for.
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
