import type { Env } from '../graph/env.ts';

/** A clock that stands still until the next timer is due; everybody in a simulation lives by it. */
export type SimulatedTime = {
  /** What a page lives in: the ids that it makes are its own. */
  readonly env: (page: number) => Env;
  readonly sleep: (ms: number) => Promise<void>;
  /** Lets time go on until it is so. @throws when nothing will ever happen again, or too much does. */
  readonly until: (isSo: () => boolean, what: () => string) => Promise<void>;
  /** Lets so many milliseconds pass. */
  readonly pass: (ms: number) => Promise<void>;
};

type Timer = { readonly due: number; readonly order: number; readonly run: () => void };

const start = Date.UTC(2026, 0, 1);
const maxSteps = 20_000;
/** Modules are loaded in real time: so many milliseconds of it are given. */
const maxIdle = 2000;

export function simulatedTime(): SimulatedTime {
  let [now, order, ids] = [0, 0, 0];
  const timers = new Set<Timer>();

  function schedule(ms: number, run: () => void): () => void {
    const timer = { due: now + Math.max(0, ms), order: order++, run };
    timers.add(timer);
    return () => timers.delete(timer);
  }

  /** Everything that promises bring forth happens at one moment. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  function next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers)
      if (
        first === undefined ||
        timer.due < first.due ||
        (timer.due === first.due && timer.order < first.order)
      )
        first = timer;
    return first;
  }

  async function until(isSo: () => boolean, what: () => string): Promise<void> {
    // Who asks whether it is so may do something about it.
    let idle = 0;
    for (let steps = 0; idle < maxIdle && steps < maxSteps; steps++) {
      await settled();
      if (isSo()) return;
      const timer = next();
      idle = timer === undefined ? idle + 1 : 0;
      if (timer === undefined && idle > 5) await new Promise((resolve) => setTimeout(resolve, 1));
      if (timer === undefined) continue;
      timers.delete(timer);
      now = timer.due;
      timer.run();
    }
    throw new Error(`It never comes to it: ${what()}`);
  }

  const sleep = (ms: number): Promise<void> => new Promise((resolve) => void schedule(ms, resolve));
  return {
    sleep,
    until,
    async pass(ms) {
      let isOver = false;
      void sleep(ms).then(() => (isOver = true));
      await until(
        () => isOver,
        () => `${ms} ms`,
      );
    },
    env: (page) => ({
      now: () => start + Math.round(now),
      monotonic: () => now,
      id: () => `${String(page).padStart(8, '0')}-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
      random: () => 0.5,
      schedule,
    }),
  };
}
