/**
 * Units of work that must not grow with a conversation: objects walked, compared or indexed. Items of lists that are
 * copied count apart, because a copy of a list costs about a nanosecond an item. Tests count both, because time says
 * little on a busy machine.
 */
export const work = { units: 0, copied: 0 };

let spent = 0;

/** Counts the work of a reader of outside text: one unit is a character examined or a value copied. */
export function spendUnits(units: number): void {
  spent += units;
}

/** The units that all readers of this copy of the library have spent so far. */
export function workUnits(): number {
  return spent;
}
