'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/**
 * Distance from the end in pixels that still counts as the end, because sizes are fractions on a zoomed
 * page.
 */
const tolerance = 2;

type AnchoredScroll = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  /** Tells whether the scroller follows growing content; read outside of renders. */
  readonly isFollowing: () => boolean;
  readonly scrollToEnd: () => void;
  /** Stops following, because the reader is about to change a size and must keep their position. */
  readonly hold: () => void;
};

/**
 * Keeps the scroller at the end of growing content while the reader is there. The first pixel that they
 * scroll up ends that.
 *
 * An empty conversation starts at its beginning. A switch to other content (`what`) scrolls to its end.
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
