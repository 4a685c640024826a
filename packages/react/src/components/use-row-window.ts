'use client';

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useState } from 'react';

/** Messages that are all in the page; of more, those that are near what is seen. */
const allUpTo = 200;
const estimatedPx = 140;

type RowWindow = {
  /** The rows that are in the page, in order, with the room of those that are left out before each. */
  readonly rows: readonly { readonly index: number; readonly spaceBefore: number }[];
  /** The room of what is left out behind the last, in pixels. */
  readonly spaceAfter: number;
  readonly isVirtual: boolean;
  /** For each row's element, which says its `data-index`. */
  readonly measure: ((element: Element | null) => void) | undefined;
  /** The row that has the focus stays in the page. */
  readonly onFocusRow: (index: number | null) => void;
};

/** Which rows of a long list are in the page. They stand in its flow, so that one that grows takes its room at once. */
export function useRowWindow(
  count: number,
  scroller: RefObject<HTMLElement | null>,
  isFollowing: () => boolean,
): RowWindow {
  const isVirtual = count > allUpTo;
  const [focused, setFocused] = useState<number | null>(null);
  // oxlint-disable-next-line react-compiler/incompatible-library -- what it gives is read here, and nowhere kept
  const virtualizer = useVirtualizer({
    count,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedPx,
    initialOffset: () => count * estimatedPx,
    overscan: 8,
    rangeExtractor(range) {
      const kept = [focused, count - 1].filter((index) => index !== null && index < count);
      return [...new Set([...defaultRangeExtractor(range), ...(kept as number[])])].toSorted((a, b) => a - b);
    },
  });
  // Who is at the end is kept there by that alone: two who move the page look like a reader who scrolls up.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ start, end, size }) => {
    const offset = virtualizer.scrollOffset ?? 0;
    if (isFollowing()) return false;
    // Else as it is by default: what was estimated above is corrected, what grows within view grows downwards.
    return size === estimatedPx
      ? start < offset
      : end <= offset && virtualizer.scrollDirection !== 'backward';
  };
  if (!isVirtual) {
    const rows = Array.from({ length: count }, (_, index) => ({ index, spaceBefore: 0 }));
    return { rows, spaceAfter: 0, isVirtual, measure: undefined, onFocusRow: setFocused };
  }
  const items = virtualizer.getVirtualItems();
  const rows = items.map(({ index, start }, at) => ({
    index,
    spaceBefore: Math.max(0, start - (items[at - 1]?.end ?? 0)),
  }));
  const spaceAfter = Math.max(0, virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0));
  return { rows, spaceAfter, isVirtual, measure: virtualizer.measureElement, onFocusRow: setFocused };
}
