import type { Limiter, LimiterState } from './limiter.ts';

type Window = { used: number; readonly endsAt: number };

/**
 * A limiter in the memory of this process with windows of so many seconds; 0 seconds last for ever. Windows end by a
 * monotonic clock. The memory limiter of `rate-limiter-flexible` follows the time of day, so a clock that is set
 * forward opens a new window, and one that is set back returns points of the old window to the new one.
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
