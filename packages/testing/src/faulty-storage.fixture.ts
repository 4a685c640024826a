import type { InjectedErrors, RawTexts } from './store-suite/store-under-test.ts';

/** A browser Storage that fails on request. */
export type FaultyStorage = {
  readonly storage: Storage;
  readonly injectedErrors: InjectedErrors;
  /** Its texts; `prefix` begins the key of a session. */
  readonly raw: (prefix: string) => RawTexts;
};

export function faultyStorage(): FaultyStorage {
  const items = new Map<string, string>();
  /** The keys in order, created on demand, because a list of keys is read one by one. */
  let order: string[] | null = null;
  let used = 0;
  let writes = 0;
  let dies: number | null = null;
  let limit = Infinity;

  function count(): void {
    writes++;
    if (dies !== null && writes >= dies) throw new Error('the process has died');
  }

  function put(key: string, text: string | null): void {
    const old = items.get(key);
    const size = old === undefined ? 0 : key.length + old.length;
    const next = text === null ? 0 : key.length + text.length;
    if (next > size && used + next - size > limit) throw new DOMException('full', 'QuotaExceededError');
    used += next - size;
    if ((old === undefined) !== (text === null)) order = null;
    if (text === null) items.delete(key);
    else items.set(key, text);
  }

  const storage: Storage = {
    get length() {
      return items.size;
    },
    key: (index) => (order ??= [...items.keys()])[index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, text) {
      count();
      put(key, text);
    },
    removeItem(key) {
      count();
      put(key, null);
    },
    clear() {
      items.clear();
      order = null;
      used = 0;
    },
  };
  return {
    storage,
    injectedErrors: {
      failAt: (write) => (dies = write === null ? null : writes + write),
      writes: () => writes,
      limit: (characters) => (limit = characters === null ? Infinity : used + characters),
    },
    raw: (prefix) => ({
      keys: () => [...items.keys()],
      get: (key) => items.get(key) ?? null,
      set: put,
      head: (id) => `${prefix}:session:${id}`,
    }),
  };
}
