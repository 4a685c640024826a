/** The calls that wait for their turn. */
export type Waiters = {
  readonly wait: (index: number) => Promise<void>;
  readonly isAwaited: (index: number) => boolean;
  /** Releases all calls up to an index. */
  readonly open: (place: number) => void;
  /** Releases the next call before its turn; false when none waits. */
  readonly openNext: () => boolean;
};

export function createWaiters(): Waiters {
  const waiting = new Map<number, () => void>();
  const release = (index: number): void => {
    const resolve = waiting.get(index);
    waiting.delete(index);
    resolve?.();
  };
  return {
    wait: (index) => new Promise((resolve) => waiting.set(index, resolve)),
    isAwaited: (index) => waiting.has(index),
    open(place) {
      for (const index of waiting.keys()) if (index <= place) release(index);
    },
    openNext() {
      if (waiting.size === 0) return false;
      release(Math.min(...waiting.keys()));
      return true;
    },
  };
}
