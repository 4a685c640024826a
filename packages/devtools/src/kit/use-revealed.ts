import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Revealed } from './reveal-path.ts';
import type { TreeRow } from './tree-rows.ts';

/**
 * Scrolls to the row that a tree was opened for, and focuses the tree.
 * @returns The `ref` of the element that contains the rows.
 */
export function useRevealed(
  revealed: Revealed | null,
  rows: readonly TreeRow[],
  reveal: (index: number) => void,
): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  // The initial index only: a person who scrolls on is not moved back when rows are added.
  const [index] = useState(() => (revealed ? rows.findIndex(({ path }) => path === revealed.path) : -1));
  useEffect(() => {
    if (index < 0) return;
    reveal(index);
    list.current?.parentElement?.focus();
  }, [index, reveal]);
  return list;
}
