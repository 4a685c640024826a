import { wrongSetting } from '../kit/env-record.ts';
import { longestTimerMs } from '@vitrine/core/internal/kit/async';
import { late, orLate } from '../kit/time.ts';

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

/** Points for a number of seconds, at most 24.8 days, in the memory of this process; or a limiter elsewhere. */
export type Quota = { readonly points: number; readonly seconds: number } | Limiter;

/** The state in an answer or a rejection of a limiter; null when the limiter failed. */
export function stateOf(answer: unknown): LimiterState | null {
  const isState = typeof answer === 'object' && answer !== null && 'msBeforeNext' in answer;
  return isState && typeof answer.msBeforeNext === 'number' ? (answer as LimiterState) : null;
}

/** The limiter of a quota. @throws AgentError `agent-invalid` for figures that are none, or too long for memory */
export function toLimiter(quota: Quota, name: string): Limiter {
  if ('consume' in quota) return quota;
  const { points, seconds } = quota;
  if (!(points > 0 && seconds > 0)) {
    throw wrongSetting(`quotas.${name} has ${points} points in ${seconds} seconds; give numbers above 0.`);
  }
  // Its timer would fire at once, so the quota would not limit anything.
  if (seconds * 1000 > longestTimerMs) {
    throw wrongSetting(
      `quotas.${name} counts for ${seconds} seconds; memory counts for at most ${Math.floor(longestTimerMs / 1000)} s (24.8 days). Give less, or a limiter of rate-limiter-flexible over Redis or PostgreSQL.`,
    );
  }
  return memoryLimiter(points, seconds);
}

type Window = { used: number; readonly endsAt: number };

/**
 * A limiter in memory with windows of so many seconds; 0 lasts for ever. They end by a monotonic clock: by the time of
 * day, as in `rate-limiter-flexible`, a clock that is set opens a window or moves points into the next one.
 */
export function memoryLimiter(points: number, seconds: number): Limiter {
  const windows = new Map<string, Window>();

  function begin(key: string, now: number): Window {
    const window: Window = { used: 0, endsAt: seconds > 0 ? now + seconds * 1000 : Infinity };
    windows.set(key, window);
    if (seconds > 0) {
      const forget = (): void => void (windows.get(key) === window && windows.delete(key));
      (setTimeout(forget, seconds * 1000) as { unref?: () => void }).unref?.();
    }
    return window;
  }

  function add(key: string, change: number): Required<LimiterState> {
    const now = performance.now();
    const known = windows.get(key);
    const window = known !== undefined && known.endsAt > now ? known : begin(key, now);
    window.used += change;
    return {
      consumedPoints: window.used,
      remainingPoints: Math.max(0, points - window.used),
      msBeforeNext: window.endsAt === Infinity ? -1 : window.endsAt - now,
    };
  }

  return {
    points,
    duration: seconds,
    consume(key, amount = 1) {
      const state = add(key, amount);
      // oxlint-disable-next-line prefer-promise-reject-errors -- as every limiter of that package
      return state.consumedPoints > points ? Promise.reject(state) : Promise.resolve(state);
    },
    penalty: async (key, amount = 1) => add(key, amount),
    reward: async (key, amount = 1) => add(key, -amount),
    delete: async (key) => windows.delete(key),
  };
}

/** The longest wait for an answer of a limiter, in milliseconds. */
const limiterMs = 2000;

/** The answer of a limiter, in time. A late one goes to `onLate`, which returns points that nobody waits for. */
export async function inTime<Value>(
  asked: Promise<Value>,
  onLate: (answer: PromiseSettledResult<Value>) => void,
): Promise<Value> {
  const answer = await orLate(limiterMs, asked);
  if (answer !== late) return answer;
  void Promise.allSettled([asked]).then(([settled]) => onLate(settled));
  throw new Error(`The limiter did not answer within ${limiterMs} ms.`);
}
