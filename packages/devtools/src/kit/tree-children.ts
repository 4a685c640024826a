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

/** The children of a value, whose names were read once: that alone takes 15 ms for a hundred thousand. */
export type Children = {
  readonly count: number;
  /** So many of them with their names. No getter is called for it. */
  readonly first: (limit: number) => [string, unknown][];
};

const none: Children = { count: 0, first: () => [] };

/** What a value has below it in a tree: an object, a list, a `Map`, a `Set`; anything else has nothing. */
export function childrenIn(value: unknown): Children {
  if (typeof value !== 'object' || value === null) return none;
  try {
    if (Array.isArray(value))
      return {
        count: value.length,
        first: (limit) => childrenAt(value, indexes(Math.min(value.length, limit))),
      };
    if (value instanceof Map || value instanceof Set)
      return { count: value.size, first: (limit) => entriesOf(value).slice(0, limit) };
    const names = Object.keys(value);
    return { count: names.length, first: (limit) => childrenAt(value, names.slice(0, limit)) };
  } catch {
    // Whatever a proxy throws, the tree goes on.
    return none;
  }
}

/** All children of a value with their names. No getter is called for it. */
export function childrenOf(value: unknown): [string, unknown][] {
  return childrenIn(value).first(Infinity);
}

function childrenAt(value: object, names: readonly string[]): [string, unknown][] {
  return names.map((name) => [name, childAt(value, name)]);
}

function indexes(length: number): string[] {
  return Array.from({ length }, (_, index) => String(index));
}

function entriesOf(value: Map<unknown, unknown> | Set<unknown>): [string, unknown][] {
  return value instanceof Map
    ? [...value].map(([key, child]) => [nameOf(key), child])
    : [...value].map((child, index) => [String(index), child]);
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
