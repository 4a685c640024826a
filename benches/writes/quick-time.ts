/** A clock that does not wait: when nothing else is to be done, the next timer is due. */
export type QuickTime = {
  readonly env: {
    readonly now: () => number;
    readonly monotonic: () => number;
    readonly id: () => string;
    readonly random: () => number;
    readonly schedule: (ms: number, run: () => void) => () => void;
  };
  readonly sleep: (ms: number) => Promise<void>;
  /** Advances time until the work is done. */
  readonly during: <Value>(work: Promise<Value>) => Promise<Value>;
};

type Timer = { readonly due: number; readonly run: () => void };

export function quickTime(): QuickTime {
  const timers = new Set<Timer>();
  let now = 0;

  function schedule(ms: number, run: () => void): () => void {
    const timer = { due: now + Math.max(0, ms), run };
    timers.add(timer);
    return () => timers.delete(timer);
  }

  async function during<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    const done = (): void => void (isDone = true);
    work.then(done, done);
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      let first: Timer | undefined;
      for (const timer of timers) if (first === undefined || timer.due < first.due) first = timer;
      if (first === undefined) continue;
      timers.delete(first);
      now = first.due;
      first.run();
    }
    return work;
  }

  const start = Date.UTC(2026, 0, 1);
  return {
    env: {
      now: () => start + Math.round(now),
      monotonic: () => now,
      id: () => crypto.randomUUID(),
      random: () => 0.5,
      schedule,
    },
    sleep: (ms) => new Promise((resolve) => void schedule(ms, resolve)),
    during,
  };
}
