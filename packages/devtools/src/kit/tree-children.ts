/** Stands in a tree where a value was not read. */
export class Unread {
  readonly #why: string;

  constructor(why: string) {
    this.#why = why;
  }

  /** Why a value was not read; null for values that were. Asks nothing of the value, which may be a proxy. */
  static why(value: unknown): string | null {
    return typeof value === 'object' && value !== null && #why in value ? value.#why : null;
  }
}

/** One for all, so that none differs from another. */
const getter = new Unread('getter, not called');

/** How many children a value has in a tree: of an object, a list, a `Map`, a `Set`; anything else has none. */
export function childCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  try {
    if (Array.isArray(value)) return value.length;
    if (value instanceof Map || value instanceof Set) return value.size;
    return Object.keys(value).length;
  } catch {
    // Whatever a proxy throws, the tree goes on.
    return 0;
  }
}

/** The first children of a value with their names. No getter is called for it. */
export function childrenOf(value: unknown, limit = Infinity): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  try {
    if (value instanceof Map || value instanceof Set) return entriesOf(value).slice(0, limit);
    return namesOf(value, limit).map((name) => [name, childAt(value, name)]);
  } catch {
    return [];
  }
}

function entriesOf(value: Map<unknown, unknown> | Set<unknown>): [string, unknown][] {
  return value instanceof Map
    ? [...value].map(([key, child]) => [nameOf(key), child])
    : [...value].map((child, index) => [String(index), child]);
}

function namesOf(value: object, limit: number): readonly string[] {
  if (!Array.isArray(value)) return Object.keys(value).slice(0, limit);
  return Array.from({ length: Math.min(value.length, limit) }, (_, index) => String(index));
}

/** What a value holds itself under a name, without a getter being called; undefined where there is nothing. */
export function childAt(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const found = Object.getOwnPropertyDescriptor(value, name);
    return found?.get ? getter : found?.value;
  } catch (thrown) {
    return new Unread(`cannot be read: ${thrown instanceof Error ? thrown.message : 'it throws'}`);
  }
}

/** Stands for what was not there before; it differs from everything. */
const absent = Symbol('absent');

/** What stood under a name in the value before. Undefined where that cannot be told, as of a `Map` and a `Set`. */
export function childBefore(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    if (value instanceof Map || value instanceof Set) return undefined;
    return Object.hasOwn(value, name) ? childAt(value, name) : absent;
  } catch {
    return undefined;
  }
}

/** What the key of a `Map` is called. */
function nameOf(key: unknown): string {
  return typeof key === 'object' && key !== null ? 'object' : String(key);
}
