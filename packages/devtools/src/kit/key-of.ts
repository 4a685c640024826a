import type { KeyboardEvent } from 'react';

/** The index that a key leads to in a list of rows, from one of them: a neighbour or an end; null for other keys. */
export function rowOfKey(key: string, at: number, count: number): number | null {
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
}

const turned: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** The key of an event; the arrows to the left and right are exchanged where texts run from right to left. */
export function keyOf({ key, currentTarget }: KeyboardEvent): string {
  const other = turned[key];
  if (other === undefined) return key;
  const view = currentTarget.ownerDocument.defaultView;
  return view?.getComputedStyle(currentTarget).direction === 'rtl' ? other : key;
}
