import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';

/**
 * Creates an Env with a clock that moves only on request, counted ids and no randomness: with the same model, every
 * run is the same. Timers are real.
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
