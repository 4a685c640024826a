'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end that still count as the end: sizes are fractions where a page is zoomed. */
const tolerance = 2;

type AnchoredScroll = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  /** Whether what grows is followed; asked outside of renders. */
  readonly isFollowing: () => boolean;
  readonly scrollToEnd: () => void;
  /** What changes its size next was changed by the reader, who is not to be moved. */
  readonly hold: () => void;
};

/**
 * Follows growing content for as long as the reader is at its end, however much comes at once, and leaves them alone from
 * the first pixel that they scroll up. Where nothing has been said, what stands there is read from its beginning; where
 * something else is shown in its place, that is read from its end.
 */
export function useAnchoredScroll(what: object, isEmpty: boolean): AnchoredScroll {
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
  const isFollowing = useCallback(() => follows.current, []);
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
      // Where the content shrinks, or its box grows, the browser moves by itself.
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
