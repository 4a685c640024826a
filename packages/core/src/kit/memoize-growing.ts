import { sharedLength } from './grown-list.ts';

type Known<Item, Value> = {
  readonly list: readonly Item[];
  readonly value: Value;
  /** The last item of the list that this one went on from. */
  readonly before: Item | null;
};

/**
 * A function of a list whose items never change, computed once per list. One that goes on from a list that was seen
 * before costs what its new items cost: `extend` is given the value of that list and the place of the first new item,
 * or null and 0. Conversations that share a beginning do not take turns.
 */
export function memoizeGrowing<Item extends object, Value>(
  extend: (before: Value | null, list: readonly Item[], from: number) => Value,
): (list: readonly Item[]) => Value {
  // By the last item: the list that goes on from another one holds it near its end.
  const byLast = new WeakMap<Item, Known<Item, Value>>();

  function longestKnown(list: readonly Item[]): Known<Item, Value> | null {
    for (let at = list.length - 1; at >= 0; at--) {
      const known = byLast.get(list[at] as Item);
      if (known?.list.length === at + 1 && sharedLength(known.list, list) === at + 1) return known;
    }
    return null;
  }

  return (list) => {
    const last = list.at(-1);
    if (last === undefined) return extend(null, list, 0);
    const known = longestKnown(list);
    if (known?.list.length === list.length) return known.value;
    const value = extend(known?.value ?? null, list, known?.list.length ?? 0);
    // The list before stays, for one that has another last item; more would hold the square of the items in memory.
    if (known !== null && known.before !== null) byLast.delete(known.before);
    byLast.set(last, { list, value, before: known?.list.at(-1) ?? null });
    return value;
  };
}
