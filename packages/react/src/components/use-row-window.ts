'use client';

import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useState } from 'react';
import type { RowsInPage, VirtualRows } from './virtual-rows.ts';

/** Maximum number of messages that are all in the page; longer conversations are virtual. */
const allUpTo = 200;
/** Number of messages at which the virtualizer starts to load, so that it is there in time. */
const soonFrom = 150;
/** Number of messages of a long conversation shown until the virtualizer has loaded. */
const lastOfLong = 40;

type RowWindow = RowsInPage & {
  readonly isVirtual: boolean;
  /** A ref callback for each row's element, which has a `data-index`. */
  readonly measure: ((element: Element | null) => void) | undefined;
  /** Reports the focused row, which stays in the page. */
  readonly onFocusRow: (index: number | null) => void;
};

/**
 * Selects the rows of a long list that are in the page. They stay in normal flow, so that a growing row
 * moves the others at once.
 */
export function useRowWindow(
  count: number,
  scroller: RefObject<HTMLElement | null>,
  isFollowing: () => boolean,
): RowWindow {
  const [focused, onFocusRow] = useState<number | null>(null);
  const virtual = useVirtualRows(count > soonFrom);
  const element = useCallback(() => scroller.current, [scroller]);
  const isVirtual = count > allUpTo && virtual !== null && virtual !== 'missing';
  if (!isVirtual) {
    // A conversation that grew while open stays complete; one that is opened long shows its end first.
    const isCut = virtual === null && count > allUpTo + lastOfLong;
    return { ...endOf(count, isCut ? lastOfLong : count), isVirtual, measure: undefined, onFocusRow };
  }
  const inPage = virtual.of({ count, scroller: element, focused, isFollowing });
  return { ...inPage, isVirtual, measure: virtual.measure, onFocusRow };
}

function endOf(count: number, length: number): RowsInPage {
  const rows = Array.from({ length }, (_, at) => ({ index: count - length + at, spaceBefore: 0 }));
  return { rows, spaceAfter: 0 };
}

const useCommit = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/**
 * Loads the virtualizer when it is needed. Null until then; 'missing' if it fails to load, and the whole
 * list is shown.
 */
function useVirtualRows(isAsked: boolean): VirtualRows | 'missing' | null {
  const [virtual, setVirtual] = useState<VirtualRows | 'missing' | null>(null);
  const [, rerender] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (!isAsked) return undefined;
    let isUsed = true;
    import('./virtual-rows.ts').then(
      ({ createVirtualRows }) => isUsed && setVirtual(createVirtualRows(rerender)),
      () => isUsed && setVirtual('missing'),
    );
    return () => {
      isUsed = false;
    };
  }, [isAsked]);
  const rows = virtual === 'missing' ? null : virtual;
  useCommit(() => rows?.dispose, [rows]);
  useCommit(() => rows?.follow());
  return virtual;
}
