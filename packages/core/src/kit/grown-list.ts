/** The lists that grew out of one another by adding at the end: each is a beginning of the longest. */
type Growth = { length: number };

const growths = new WeakMap<readonly unknown[], Growth>();

/**
 * The list with items added at its end; the same list when there are none. It is remembered that one is a beginning of
 * the other, so that whoever knows the shorter list has to look at the new items only.
 */
export function grown<Item>(list: readonly Item[], items: readonly Item[]): readonly Item[] {
  if (items.length === 0) return list;
  // A third of the time that spreading both takes.
  const next = list.concat(items);
  let growth = growths.get(list);
  // Only the longest goes on; where another one grew out of the same list before, the two may differ.
  if (growth === undefined || growth.length !== list.length) {
    growth = { length: list.length };
    if (!growths.has(list)) growths.set(list, growth);
  }
  growth.length = next.length;
  growths.set(next, growth);
  return next;
}

/** How many items at the start of two lists are the same objects; found without looking where one grew out of the other. */
export function sharedLength(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  if (a === b) return length;
  const growth = growths.get(a);
  if (growth !== undefined && growth === growths.get(b)) return length;
  let at = 0;
  while (at < length && a[at] === b[at]) at++;
  return at;
}
