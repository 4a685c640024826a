import { work } from './work.ts';
import { freeze } from './freeze.ts';

/** Memoises a function of one object: a stable selector, which does not keep the object in memory. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const hit = cache.get(key);
    if (hit) return hit.value;
    const value = compute(key);
    cache.set(key, { value });
    return value;
  };
}

/** Loads something once, at the first call. After a failure the next call tries again. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | null = null;
  return () =>
    (loading ??= load().catch((cause: unknown) => {
      loading = null;
      throw cause;
    }));
}

type Known<Item, Value> = {
  readonly list: readonly Item[];
  readonly value: Value;
  /** The last item of the list that this one continued. */
  readonly before: Item | null;
};

/** The latest list of a family, and some of its prefixes, the longest first. */
type KnownFamily<Item, Value> = {
  readonly newest: Known<Item, Value>;
  readonly older: readonly Known<Item, Value>[];
};

/** Distances are distinguished up to 4 to the power of this. */
const maxOrder = 5;

/** Keeps the oldest prefix at each order of distance. Keeping all prefixes would take memory quadratic in the items. */
function thinPrefixes<Item, Value>(
  length: number,
  older: readonly Known<Item, Value>[],
): readonly Known<Item, Value>[] {
  const kept: Known<Item, Value>[] = [];
  let last = -1;
  for (const entry of older) {
    const order = Math.min(maxOrder, Math.floor(Math.log2(length - entry.list.length) / 2));
    if (order === last) kept[kept.length - 1] = entry;
    else kept.push(entry);
    last = order;
  }
  return kept;
}

/**
 * Memoises a function of a list of immutable items. A list that continues a known one costs only its new items:
 * `extend` receives the value of the known list and the index of the first new item, or null and 0. Conversations that
 * share a beginning do not evict each other.
 */
export function memoizeGrowing<Item extends object, Value>(
  extend: (before: Value | null, list: readonly Item[], from: number) => Value,
): (list: readonly Item[]) => Value {
  // Keyed by the last item: a list that continues another one holds that item near its end.
  const byLast = new WeakMap<Item, Known<Item, Value>>();
  // Lists of one family are related without comparing items, and one may continue from the middle of another.
  const byFamily = new WeakMap<object, KnownFamily<Item, Value>>();

  /** The longest known prefix that is longer than `length`. */
  function knownByLast(list: readonly Item[], length: number): Known<Item, Value> | null {
    for (let at = list.length - 1; at >= length; at--) {
      work.units++;
      const known = byLast.get(list[at] as Item);
      if (known?.list.length === at + 1 && sharedLength(known.list, list) === at + 1) return known;
    }
    return null;
  }

  /** The longest known prefix of this list in its family, and the prefixes of that. */
  function knownOf(list: readonly Item[], family: object | null): KnownFamily<Item, Value> | null {
    const relatives = family === null ? undefined : byFamily.get(family);
    const shared = relatives === undefined ? 0 : sharedLength(relatives.newest.list, list);
    const lists = relatives === undefined ? [] : [relatives.newest, ...relatives.older];
    const older = lists.filter((entry) => entry.list.length <= shared);
    const newest = knownByLast(list, older[0]?.list.length ?? 0) ?? older.shift();
    return newest === undefined ? null : { newest, older };
  }

  return (list) => {
    const last = list.at(-1);
    if (last === undefined) return extend(null, list, 0);
    const family = logs.get(list)?.family ?? null;
    const found = knownOf(list, family);
    const known = found?.newest ?? null;
    if (known?.list.length === list.length) return known.value;
    work.units += list.length - (known?.list.length ?? 0);
    const value = extend(known?.value ?? null, list, known?.list.length ?? 0);
    // The former list stays for one with another last item. Keeping more would take memory quadratic in the items.
    if (known !== null && known.before !== null) byLast.delete(known.before);
    const newest = { list, value, before: known?.list.at(-1) ?? null };
    byLast.set(last, newest);
    if (family !== null)
      byFamily.set(family, {
        newest,
        older: found === null ? [] : thinPrefixes(list.length, [found.newest, ...found.older]),
      });
    return value;
  };
}

/** The list with each item mapped; the same list when none of them changes. */
export function mapSame<Item>(
  list: readonly Item[],
  update: (item: Item, index: number) => Item,
): readonly Item[] {
  const updated = list.map(update);
  return updated.every((item, index) => item === list[index]) ? list : updated;
}

/** The shared empty list: equal by reference, so that selectors stay stable, and without memory of its own. */
export const nothing: readonly never[] = Object.freeze([]);

/** Returns the list, or `nothing` when it is empty. */
export function orNothing<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? nothing : list;
}

/**
 * The history of lists that grow by appending: each list is a prefix of the longest one. A list with a replaced item
 * begins a new log, which records how many items it shares with the former.
 */
type Log = {
  length: number;
  readonly parent: Log | null;
  /** Number of items at the start shared with the lists of the parent. */
  readonly shared: number;
  /** An object common to all logs that derive from one list. */
  readonly family: object;
};

const logs = new WeakMap<readonly unknown[], Log>();

/** Most logs walked to a common ancestor; farther relatives are compared item by item. */
const maxWay = 16;

function newLog(length: number): Log {
  return { length, parent: null, shared: 0, family: {} };
}

function logOf(list: readonly unknown[]): Log {
  let log = logs.get(list);
  if (log === undefined) {
    log = newLog(list.length);
    logs.set(list, log);
  }
  return log;
}

/**
 * The list with items appended; the same list when there are none. The relation of the two lists is recorded, so that
 * a caller who knows the shorter one examines only the new items.
 */
export function growList<Item>(list: readonly Item[], items: readonly Item[]): readonly Item[] {
  if (items.length === 0) return list;
  // `concat` takes a third of the time of spreading both.
  const next = list.concat(items);
  work.copied += next.length;
  // Empty lists have no items in common.
  const known = list.length === 0 ? newLog(0) : logOf(list);
  // Only the longest list of a log continues it. After another list grew from the same one, the two may differ.
  const log =
    known.length === list.length
      ? known
      : { length: list.length, parent: known, shared: list.length, family: known.family };
  log.length = next.length;
  logs.set(next, log);
  return frozenLike(list, next, items);
}

/** The list with one item replaced; the same list when the item is equal. The items before it are recorded as shared. */
export function replacedAt<Item>(list: readonly Item[], at: number, item: Item): readonly Item[] {
  const next = withItem(list, at, item);
  if (next === list) return list;
  const parent = logOf(list);
  logs.set(next, { length: next.length, parent, shared: at, family: parent.family });
  return next;
}

/** The list with one item replaced, or appended. It records no shared items: nobody compares these lists. */
export function withItem<Item>(list: readonly Item[], at: number, item: Item): readonly Item[] {
  if (list[at] === item) return list;
  // V8 slices a frozen list about 50 times slower than it spreads one.
  const next = [...list];
  next[at] = item;
  work.copied += next.length;
  return frozenLike(list, next, [item]);
}

/** Freezes the new list: when the old one is deeply frozen, only the new items have to be. */
function frozenLike<Item>(
  list: readonly Item[],
  next: readonly Item[],
  items: readonly Item[],
): readonly Item[] {
  if (!Object.isFrozen(list)) return next;
  for (const item of items) freeze(item);
  return Object.freeze(next);
}

/** Number of equal objects at the start of two lists; found without comparison where one derives from the other. */
export function sharedLength(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  if (a === b) return length;
  let at = Math.min(length, knownShared(logs.get(a), logs.get(b)));
  const from = at;
  while (at < length && a[at] === b[at]) at++;
  work.units += at - from;
  return at;
}

/** Number of items that the lists of two logs certainly share: up to their common ancestor. */
function knownShared(a: Log | undefined, b: Log | undefined): number {
  if (a === undefined || b === undefined || a.family !== b.family) return 0;
  if (a === b) return Infinity;
  const way = new Map<Log, number>();
  let shared = Infinity;
  for (let log: Log | null = a, steps = 0; log !== null && steps < maxWay; log = log.parent, steps++) {
    way.set(log, shared);
    shared = Math.min(shared, log.shared);
  }
  shared = Infinity;
  for (let log: Log | null = b, steps = 0; log !== null && steps < maxWay; log = log.parent, steps++) {
    const other = way.get(log);
    if (other !== undefined) return Math.min(shared, other);
    shared = Math.min(shared, log.shared);
  }
  return 0;
}
