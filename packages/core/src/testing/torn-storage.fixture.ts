/** A page's view of a storage that others see too; the page may die between two of its writes. */
export type TornStorage = {
  readonly storage: Storage;
  /** Lets so many writes through; every later one is one of a dead page, and does nothing. */
  readonly dieAfter: (writes: number) => void;
};

/** The keys are those of `shared`, by whatever page they were written. */
export function tornStorage(shared: Map<string, string>): TornStorage {
  let left = Infinity;
  const isAlive = (): boolean => left-- > 0;
  const storage: Storage = {
    get length() {
      return shared.size;
    },
    key: (index) => [...shared.keys()][index] ?? null,
    getItem: (key) => shared.get(key) ?? null,
    setItem: (key, text) => void (isAlive() && shared.set(key, text)),
    removeItem: (key) => void (isAlive() && shared.delete(key)),
    clear: () => void (isAlive() && shared.clear()),
  };
  return {
    storage,
    dieAfter(writes) {
      left = writes;
    },
  };
}
