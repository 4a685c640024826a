import type { Env } from '@vitrine/core/internal/graph/env';

/** A simulated clock that advances to the next due timer. */
export type SimulatedTime = {
  /** The Env of a page; it creates its own ids. */
  readonly env: (page: number) => Env;
  readonly sleep: (ms: number) => Promise<void>;
  /** Milliseconds since the simulation began. */
  readonly now: () => number;
  /** Advances time until the condition holds. @throws when no timer is left, or too many steps were taken. */
  readonly until: (isSo: () => boolean, what: () => string) => Promise<void>;
  /** Advances time by the given milliseconds. */
  readonly pass: (ms: number) => Promise<void>;
};

type Timer = { readonly due: number; readonly order: number; readonly run: () => void };

const start = Date.UTC(2026, 0, 1);
const maxSteps = 20_000;
/** Real milliseconds allowed for loading modules. */
const maxIdle = 2000;

/** Creates the clock. `isBusy` is true while real work is pending, which is awaited before time advances. */
export function simulatedTime(isBusy: () => boolean = () => false): SimulatedTime {
  let [now, order, ids] = [0, 0, 0];
  const timers = new Set<Timer>();

  function schedule(ms: number, run: () => void): () => void {
    const timer = { due: now + Math.max(0, ms), order: order++, run };
    timers.add(timer);
    return () => timers.delete(timer);
  }

  /** Waits for all promise reactions of the current moment. */
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
    // The condition may have side effects, so it is evaluated after promises have settled.
    let idle = 0;
    for (let steps = 0; idle < maxIdle && steps < maxSteps; steps++) {
      await settled();
      while (isBusy()) await new Promise((resolve) => setTimeout(resolve, 1));
      if (isSo()) return;
      const timer = next();
      idle = timer === undefined ? idle + 1 : 0;
      if (timer === undefined && idle > 5) await new Promise((resolve) => setTimeout(resolve, 1));
      if (timer === undefined) continue;
      timers.delete(timer);
      now = timer.due;
      timer.run();
    }
    throw new Error(`The condition never became true: ${what()}`);
  }

  const sleep = (ms: number): Promise<void> => new Promise((resolve) => void schedule(ms, resolve));
  return {
    sleep,
    now: () => now,
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
