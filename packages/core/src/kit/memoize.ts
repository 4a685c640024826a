import { familyOf, sharedLength } from './grown-list.ts';
import { work } from './work.ts';

/**
 * Memoises a function of one object. An accessor that builds a new array or object becomes a stable selector (same
 * state, same reference), without keeping the object in memory.
 */
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

/**
 * Keeps the oldest prefix at each order of distance. Keeping all prefixes would take memory quadratic in the items.
 */
function thinned<Item, Value>(
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
    const family = familyOf(list);
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
        older: found === null ? [] : thinned(list.length, [found.newest, ...found.older]),
      });
    return value;
  };
}

/** The shared empty list: equal by reference, so that selectors stay stable, and without memory of its own. */
export const nothing: readonly never[] = Object.freeze([]);

/** Returns the list, or `nothing` when it is empty. */
export function orNothing<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? nothing : list;
}
