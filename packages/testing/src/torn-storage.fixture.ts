/** A page's view of a shared storage; the page may die between two of its writes. */
export type TornStorage = {
  readonly storage: Storage;
  /** Allows the given number of writes; later ones have no effect, as on a dead page. */
  readonly dieAfter: (writes: number) => void;
};

/** Creates the view. `shared` holds the keys of all pages. */
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
