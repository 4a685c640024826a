'use client';

import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { takeUnlessLeft } from './kit/take-unless-left.ts';
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
 * Loads the virtualizer when it is needed. Null until then; 'missing' if it fails to load, and the whole list is shown.
 */
function useVirtualRows(isAsked: boolean): VirtualRows | 'missing' | null {
  const [virtual, setVirtual] = useState<VirtualRows | 'missing' | null>(null);
  const [, rerender] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (!isAsked) return undefined;
    return takeUnlessLeft(
      import('./virtual-rows.ts'),
      ({ createVirtualRows }) => setVirtual(createVirtualRows(rerender)),
      () => setVirtual('missing'),
    );
  }, [isAsked]);
  const rows = virtual === 'missing' ? null : virtual;
  useCommit(() => rows?.dispose, [rows]);
  useCommit(() => rows?.follow());
  return virtual;
}

/** Distance from the end in pixels that still counts as the end, because sizes are fractions on a zoomed page. */
const tolerance = 2;

/**
 * Keeps the scroller at the end of growing content while the reader is there. The first pixel that they
 * scroll up ends that.
 *
 * An empty conversation starts at its beginning. A switch to other content (`what`) scrolls to its end.
 */
export function useAnchoredScroll(what: object, isEmpty: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const hasNoEnd = useRef(isEmpty);
  const [isAtEnd, setAtEnd] = useState(true);

  const scrollToEnd = useCallback(() => {
    follows.current = true;
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  /** Tells whether the scroller follows growing content; read outside of renders. */
  const isFollowing = useCallback(() => follows.current, []);
  /** Stops following, because the reader is about to change a size and must keep their position. */
  const hold = useCallback(() => {
    follows.current = false;
  }, []);

  useEffect(() => {
    hasNoEnd.current = isEmpty;
  }, [isEmpty]);
  useEffect(() => {
    if (hasNoEnd.current) follows.current = true;
    else scrollToEnd();
  }, [what, scrollToEnd]);
  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return undefined;
    let last = { top: outer.scrollTop, height: outer.scrollHeight, room: outer.clientHeight };
    const look = (): void => {
      const { scrollTop: top, scrollHeight: height, clientHeight: room } = outer;
      const wentUp = top < last.top - 1;
      // The browser scrolls by itself when the content shrinks or its box grows.
      const isByReader = wentUp && height >= last.height && room <= last.room;
      if (height - top - room <= tolerance) follows.current = true;
      else if (isByReader) follows.current = false;
      last = { top, height, room };
      setAtEnd(follows.current || hasNoEnd.current);
    };
    const observer = new ResizeObserver(() => {
      if (follows.current && !hasNoEnd.current) outer.scrollTop = outer.scrollHeight;
      look();
    });
    observer.observe(inner);
    observer.observe(outer);
    outer.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      outer.removeEventListener('scroll', look);
    };
  }, []);

  return { scroller, content, isAtEnd, isFollowing, scrollToEnd, hold };
}
