/** A list with nothing in it: the same one, so that what has nothing to show stays equal, and takes no memory. */
export const nothing: readonly never[] = Object.freeze([]);

/** The list; `nothing` when there is nothing in it. */
export function orNothing<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? nothing : list;
}
