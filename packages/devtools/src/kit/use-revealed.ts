import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Revealed } from './reveal-path.ts';
import type { TreeRow } from './tree-rows.ts';

/**
 * Scrolls to the row that a tree began with because it was looked for, and gives the tree the focus.
 * @returns The `ref` of what holds the rows.
 */
export function useRevealed(
  revealed: Revealed | null,
  rows: readonly TreeRow[],
  reveal: (index: number) => void,
): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  // Where it is at first: a person who scrolls on is not led back when rows come in between.
  const [index] = useState(() => (revealed ? rows.findIndex(({ path }) => path === revealed.path) : -1));
  useEffect(() => {
    if (index < 0) return;
    reveal(index);
    list.current?.parentElement?.focus();
  }, [index, reveal]);
  return list;
}
