/** The reason why a value was not read: it has a getter, or reading it threw an error. */
type UnreadReason = 'getter' | { readonly message: string | null };

/** A placeholder for a value that was not read. */
export class Unread {
  readonly #reason: UnreadReason;

  constructor(reason: UnreadReason) {
    this.#reason = reason;
  }

  /**
   * The reason why a value was not read; null for a value that was read. Does not access the value, which
   * may be a proxy.
   */
  static reason(value: unknown): UnreadReason | null {
    return typeof value === 'object' && value !== null && #reason in value ? value.#reason : null;
  }
}

/** One shared instance, so that two unread getters count as equal. */
const getter = new Unread('getter');

/** The children of a value. Their names are read only once, because that takes 15 ms for a hundred thousand. */
type Children = {
  readonly count: number;
  /** The first children with their names. Calls no getter. */
  readonly first: (limit: number) => [string, unknown][];
};

const none: Children = { count: 0, first: () => [] };

/** The children of an object, a list, a `Map` or a `Set`; other values have none. */
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
    // A proxy may throw anything; the tree continues without its children.
    return none;
  }
}

/** All children of a value with their names. Calls no getter. */
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
    ? [...value].map(([key, child]) => [Object(key) === key ? 'object' : String(key), child])
    : [...value].map((child, index) => [String(index), child]);
}

/** The own property of a value, without calling a getter; undefined when there is none. */
function childAt(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const found = Object.getOwnPropertyDescriptor(value, name);
    return found?.get ? getter : found?.value;
  } catch (thrown) {
    return new Unread({ message: thrown instanceof Error ? thrown.message : null });
  }
}

/** A value that differs from every other one, for a child that did not exist before. */
const absent = Symbol('absent');

/** The child of the previous value under the same name. Undefined when that is unknown, as for a `Map` or a `Set`. */
export function childBefore(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    if (value instanceof Map || value instanceof Set) return undefined;
    return Object.hasOwn(value, name) ? childAt(value, name) : absent;
  } catch {
    return undefined;
  }
}
