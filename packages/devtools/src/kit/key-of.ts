import type { KeyboardEvent } from 'react';

const turned: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** The key of an event; the arrows to the left and right are exchanged where texts run from right to left. */
export function keyOf({ key, currentTarget }: KeyboardEvent): string {
  const other = turned[key];
  if (other === undefined) return key;
  const view = currentTarget.ownerDocument.defaultView;
  return view?.getComputedStyle(currentTarget).direction === 'rtl' ? other : key;
}
