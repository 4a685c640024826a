/** The shared empty list: equal by reference, so that selectors stay stable, and without memory of its own. */
export const nothing: readonly never[] = Object.freeze([]);

/** Returns the list, or `nothing` when it is empty. */
export function orNothing<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? nothing : list;
}
