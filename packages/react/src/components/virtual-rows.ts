import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import { flushSync } from 'react-dom';

const estimatedPx = 140;

/** A list as it is at this moment. */
export type RowList = {
  readonly count: number;
  readonly scroller: () => HTMLElement | null;
  /** The row that has the focus stays in the page. */
  readonly focused: number | null;
  /** Whether its end is followed; asked outside of renders. */
  readonly isFollowing: () => boolean;
};

/** Rows in order, with the room of those that are left out before each and behind the last, in pixels. */
export type RowsInPage = {
  readonly rows: readonly { readonly index: number; readonly spaceBefore: number }[];
  readonly spaceAfter: number;
};

/** Tells which rows of a long list are near what is seen. */
export type VirtualRows = {
  readonly of: (list: RowList) => RowsInPage;
  /** For each row's element, which says its `data-index`. */
  readonly measure: (element: Element | null) => void;
  /** After each commit: the scroller may be another one. */
  readonly follow: () => void;
  readonly dispose: () => void;
};

/** `onChange` is told when other rows are near. Loaded when a list becomes long: most never do. */
export function createVirtualRows(onChange: () => void): VirtualRows {
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
        return [...new Set([...defaultRangeExtractor(range), ...(kept as number[])])].toSorted(
          (a, b) => a - b,
        );
      },
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange(_, isScroll) {
        // What comes into view has to be there before it is seen; what is measured is measured in a commit.
        if (isScroll && !isMeasuring) flushSync(onChange);
        else onChange();
      },
    };
  }

  return {
    of(list) {
      virtualizer.setOptions(optionsOf(list));
      // Who is at the end is kept there by that alone: two who move the page look like a reader who scrolls up.
      virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ start, end, size }) => {
        const offset = virtualizer.scrollOffset ?? 0;
        if (list.isFollowing()) return false;
        // Else as it is by default: what was estimated above is corrected, what grows within view grows downwards.
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
    measure(element) {
      isMeasuring = true;
      virtualizer.measureElement(element);
      isMeasuring = false;
    },
    follow: () => void virtualizer._willUpdate(),
    dispose: () => virtualizer._didMount()(),
  };
}
