/** Capacity that requests share: places or bytes. */
export type Places = {
  /**
   * Waits for so much capacity and takes it. Returns the function that frees it, which may be called twice. Null when
   * too many wait already, or when `signal` is aborted first.
   */
  readonly take: (key: string, amount: number, signal: AbortSignal) => Promise<(() => void) | null>;
};

type Waiting = { readonly key: string; readonly amount: number; readonly go: () => void };

/** The most waiting requests of one key and in all. */
const maxWaiting = { key: 100, all: 1000 };

/**
 * Creates a total capacity, of which one key gets a quarter. A request for more gets it when nothing else of that key
 * runs.
 */
export function createPlaces(total: number): Places {
  const perKey = Math.max(1, total / 4);
  const used = new Map<string, number>();
  let waiting: readonly Waiting[] = [];
  let all = 0;

  function hasRoom(key: string, amount: number): boolean {
    const own = used.get(key) ?? 0;
    const fitsKey = own === 0 || own + amount <= perKey;
    return fitsKey && (all === 0 || all + amount <= total);
  }

  function change(key: string, amount: number): void {
    const own = (used.get(key) ?? 0) + amount;
    all += amount;
    if (own > 0) used.set(key, own);
    else used.delete(key);
  }

  function next(): void {
    for (const one of waiting) {
      if (!hasRoom(one.key, one.amount)) continue;
      waiting = waiting.filter((other) => other !== one);
      one.go();
    }
  }

  function taken(key: string, amount: number): () => void {
    change(key, amount);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      change(key, -amount);
      next();
    };
  }

  return {
    take(key, amount, signal) {
      if (signal.aborted) return Promise.resolve(null);
      if (hasRoom(key, amount)) return Promise.resolve(taken(key, amount));
      const own = waiting.filter((one) => one.key === key).length;
      if (own >= maxWaiting.key || waiting.length >= maxWaiting.all) return Promise.resolve(null);
      return new Promise((resolve) => {
        const one: Waiting = {
          key,
          amount,
          go() {
            signal.removeEventListener('abort', leave);
            resolve(taken(key, amount));
          },
        };
        function leave(): void {
          waiting = waiting.filter((other) => other !== one);
          resolve(null);
        }
        waiting = [...waiting, one];
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
