/** Those who wait until it is their turn. */
export type Gates = {
  readonly wait: (index: number) => Promise<void>;
  readonly isAwaited: (index: number) => boolean;
  /** Lets all in whose turn it is. */
  readonly open: (place: number) => void;
  /** Lets the next one in before its turn; false when nobody waits. */
  readonly openNext: () => boolean;
};

export function createGates(): Gates {
  const waiting = new Map<number, () => void>();
  const letIn = (index: number): void => {
    const resolve = waiting.get(index);
    waiting.delete(index);
    resolve?.();
  };
  return {
    wait: (index) => new Promise((resolve) => waiting.set(index, resolve)),
    isAwaited: (index) => waiting.has(index),
    open(place) {
      for (const index of waiting.keys()) if (index <= place) letIn(index);
    },
    openNext() {
      if (waiting.size === 0) return false;
      letIn(Math.min(...waiting.keys()));
      return true;
    },
  };
}
