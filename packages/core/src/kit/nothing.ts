/** A list with nothing in it: the same one, so that what has nothing to show stays equal. */
export const nothing: readonly never[] = [];
