/**
 * A function that folds a list whose items never change, computed once per list: a list that is an earlier one with
 * another item behind it, or with another last item, costs one `add` and a comparison of references.
 */
export function memoizeFold<Item extends object, Sum>(
  empty: Sum,
  add: (sum: Sum, item: Item) => Sum,
): (list: readonly Item[]) => Sum {
  type Folded = { readonly list: readonly Item[]; readonly sum: Sum };
  const byList = new WeakMap<readonly Item[], Sum>();
  const byLast = new WeakMap<Item, Folded>();

  function compute(list: readonly Item[]): Sum {
    const last = list.at(-1);
    if (last === undefined) return empty;
    const before = list.at(-2);
    const prefix = before === undefined ? undefined : byLast.get(before);
    const isExtended = prefix !== undefined && isPrefix(prefix.list, list);
    const sum = isExtended ? add(prefix.sum, last) : list.reduce(add, empty);
    byLast.set(last, { list, sum });
    // Two lists are enough to go on from; more would hold the square of the items in memory.
    const forgotten = list.at(-3);
    if (forgotten !== undefined) byLast.delete(forgotten);
    return sum;
  }

  return (list) => {
    const hit = byList.get(list);
    if (hit !== undefined) return hit;
    const sum = compute(list);
    byList.set(list, sum);
    return sum;
  };
}

/** True when `list` is `prefix` and one item more. */
function isPrefix<Item>(prefix: readonly Item[], list: readonly Item[]): boolean {
  return prefix.length === list.length - 1 && prefix.every((item, index) => item === list[index]);
}
