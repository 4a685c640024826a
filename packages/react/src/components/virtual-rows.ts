import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import { flushSync } from 'react-dom';

const estimatedPx = 140;

/** The current state of a list. */
export type RowList = {
  readonly count: number;
  readonly scroller: () => HTMLElement | null;
  /** The index of the focused row, which stays in the page. */
  readonly focused: number | null;
  /** Tells whether the scroller follows the end; read outside of renders. */
  readonly isFollowing: () => boolean;
};

/** The rows in the page, with the space before each row and after the last one in pixels. */
export type RowsInPage = {
  readonly rows: readonly { readonly index: number; readonly spaceBefore: number }[];
  readonly spaceAfter: number;
};

/** Calculates the rows of a long list that are near the visible part. */
export type VirtualRows = ReturnType<typeof createVirtualRows>;

/**
 * Creates the virtualizer; `onChange` is called when the rows change. This module loads only when a list becomes long.
 */
export function createVirtualRows(onChange: () => void) {
  let isMeasuring = false;
  const virtualizer = new Virtualizer<HTMLElement, Element>(optionsOf(null));

  function optionsOf(
    list: RowList | null,
  ): ConstructorParameters<typeof Virtualizer<HTMLElement, Element>>[0] {
    const { count = 0, focused = null, scroller = () => null } = list ?? {};
    return {
      count,
      getScrollElement: scroller,
      estimateSize: () => estimatedPx,
      initialOffset: () => count * estimatedPx,
      overscan: 8,
      rangeExtractor(range) {
        const kept = [focused, count - 1].filter((index) => index !== null && index < count);
        return [...new Set([...defaultRangeExtractor(range), ...(kept as number[])])].sort((a, b) => a - b);
      },
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange(_, isScroll) {
        // Rows must render before they scroll into view. Measuring happens inside a commit, where flushSync
        // is not allowed.
        if (isScroll && !isMeasuring) flushSync(onChange);
        else onChange();
      },
    };
  }

  return {
    of(list: RowList): RowsInPage {
      virtualizer.setOptions(optionsOf(list));
      // At the end, only the follow logic scrolls. Two scroll adjustments would look like a reader who scrolls up.
      virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ start, end, size }) => {
        const offset = virtualizer.scrollOffset ?? 0;
        if (list.isFollowing()) return false;
        // Otherwise the default: correct estimates above the visible part, and let rows in view grow downwards.
        return size === estimatedPx
          ? start < offset
          : end <= offset && virtualizer.scrollDirection !== 'backward';
      };
      const items = virtualizer.getVirtualItems();
      return {
        rows: items.map(({ index, start }, at) => ({
          index,
          spaceBefore: Math.max(0, start - (items[at - 1]?.end ?? 0)),
        })),
        spaceAfter: Math.max(0, virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)),
      };
    },
    /** A ref callback for each row's element, which has a `data-index`. */
    measure(element: Element | null): void {
      isMeasuring = true;
      virtualizer.measureElement(element);
      isMeasuring = false;
    },
    /** Called after each commit, because the scroller may have changed. */
    follow: (): void => void virtualizer._willUpdate(),
    dispose: (): void => virtualizer._didMount()(),
  };
}
