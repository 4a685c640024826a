/** The state of a key in a limiter. */
export type LimiterState = {
  /** Milliseconds until all points are available again; below 0 when that never happens. */
  readonly msBeforeNext: number;
  /** Remaining points, reported in headers. */
  readonly remainingPoints?: number;
  readonly consumedPoints?: number;
};

/**
 * Counts points by key. Any limiter of `rate-limiter-flexible` fits, such as `RateLimiterRedis` or
 * `RateLimiterPostgres`, so several processes can count together. The value that it rejects with tells how long to
 * wait, in milliseconds.
 */
export type Limiter = {
  readonly points: number;
  /** Seconds of a window, reported in headers. */
  readonly duration?: number;
  readonly consume: (key: string, points?: number) => Promise<LimiterState>;
  readonly penalty: (key: string, points?: number) => Promise<unknown>;
  readonly reward: (key: string, points?: number) => Promise<unknown>;
  readonly delete: (key: string) => Promise<unknown>;
};

/**
 * A number of points for a number of seconds, at most 24.8 days, counted in the memory of this process; or a limiter
 * that counts elsewhere.
 */
export type Quota = { readonly points: number; readonly seconds: number } | Limiter;

/** The state in an answer or a rejection of a limiter; null when the limiter failed. */
export function stateOf(answer: unknown): LimiterState | null {
  const isState = typeof answer === 'object' && answer !== null && 'msBeforeNext' in answer;
  return isState && typeof answer.msBeforeNext === 'number' ? (answer as LimiterState) : null;
}
