/** A Storage in memory that counts written characters. */
export type CountingStorage = Storage & { readonly written: () => number; readonly stored: () => number };

export function countingStorage(): CountingStorage {
  const items = new Map<string, string>();
  let written = 0;
  let keys: string[] | null = null;
  return {
    written: () => written,
    stored: () => [...items].reduce((sum, [key, text]) => sum + key.length + text.length, 0),
    get length() {
      return items.size;
    },
    key: (index) => (keys ??= [...items.keys()])[index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, text) {
      written += key.length + text.length;
      keys = null;
      items.set(key, text);
    },
    removeItem(key) {
      keys = null;
      items.delete(key);
    },
    clear: () => items.clear(),
  };
}
