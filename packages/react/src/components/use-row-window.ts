'use client';

import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useState } from 'react';
import type { RowsInPage, VirtualRows } from './virtual-rows.ts';

/** Messages that are all in the page; of more, those that are near what is seen. */
const allUpTo = 200;
/** Here the rest is asked for, so that it is there when it is needed. */
const soonFrom = 150;
/** What is in the page of a long conversation until it is known what is near. */
const lastOfLong = 40;

type RowWindow = RowsInPage & {
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
  const [focused, onFocusRow] = useState<number | null>(null);
  const virtual = useVirtualRows(count > soonFrom);
  const element = useCallback(() => scroller.current, [scroller]);
  const isVirtual = count > allUpTo && virtual !== null && virtual !== 'missing';
  if (!isVirtual) {
    // A conversation that has grown while it was read stays as it is; of one that is opened long the end is seen.
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

/** Null until they are asked for and there; a conversation is whole where they cannot be loaded. */
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
