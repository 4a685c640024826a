import type { Env } from '../../graph/env.ts';

/** An Env whose time stands still while anything can run, and then jumps to the next timer. */
export type VirtualEnv = Env & {
  /** Resolves after a number of virtual milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /**
   * Plays timers until a promise is settled.
   * @throws Error when it is not settled and no timer is left, or after 20,000 timers.
   */
  readonly play: <Value>(promise: Promise<Value>) => Promise<Value>;
};

type Timer = { readonly at: number; readonly order: number; readonly call: () => void };

const most = { timers: 20_000, idleTurns: 300 } as const;

/**
 * Creates an Env of virtual time. A timer is called only when all promises rest, so the order of a run does not depend
 * on the number of `await`s in it. Ids are counted; `name` (four digits) tells apart those of two runs.
 */
export function virtualEnv(name: string, seed: number, start: number): VirtualEnv {
  const timers = new Set<Timer>();
  let [elapsed, ids, order, random] = [0, 0, 0, seed >>> 0];

  function schedule(ms: number, call: () => void): () => void {
    const timer = { at: elapsed + Math.max(0, ms), order: order++, call };
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  function callNext(): boolean {
    const [next] = [...timers].sort((a, b) => a.at - b.at || a.order - b.order);
    if (next === undefined) return false;
    timers.delete(next);
    elapsed = Math.max(elapsed, next.at);
    next.call();
    return true;
  }

  async function play<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    settled.catch(() => undefined);
    for (let [called, idle] = [0, 0]; called < most.timers && idle < most.idleTurns;) {
      // Promises come to rest before the next macrotask.
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return settled;
      if (callNext()) [called, idle] = [called + 1, 0];
      else idle += 1;
    }
    throw new Error('The run does not end.');
  }

  return {
    now: () => Math.floor(start + elapsed),
    monotonic: () => elapsed,
    id: () => `00000000-0000-7000-${name}-${String(++ids).padStart(12, '0')}`,
    random: () => (random = (Math.imul(random, 1664525) + 1013904223) >>> 0) / 2 ** 32,
    schedule,
    wait: (ms) => new Promise((resolve) => void schedule(ms, resolve)),
    play,
  };
}
