import { type Env, systemEnv } from '../graph/env.ts';

/**
 * A clock that stands still until it is moved, counted ids, and no chance: with it and the same model a run is the same
 * every time. Timers are real.
 */
export function fixedEnv(start: number = Date.UTC(2026, 0, 1)): Env & { advance: (ms: number) => void } {
  let [now, elapsed, ids] = [start, 0, 0];
  return {
    now: () => now,
    monotonic: () => elapsed,
    id: () => `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
    random: () => 0.5,
    schedule: systemEnv.schedule,
    advance(ms) {
      now += ms;
      elapsed += ms;
    },
  };
}
