/** A Storage as browsers have it, over texts. */
export function textStorage(texts: Readonly<Record<string, string>> = {}): Storage {
  const items = new Map(Object.entries(texts));
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => void items.set(key, text),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}

/** The content of a storage. */
export function textsOf(storage: Storage): Record<string, string> {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return Object.fromEntries(keys.map((key) => [key, storage.getItem(key) ?? '']));
}
