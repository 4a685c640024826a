import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** How near to the end still counts as being there, in pixels. */
const tolerance = 60;

type StickToBottom = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtBottom: boolean;
  readonly scrollToBottom: () => void;
};

/** Follows growing content for as long as the reader is at its end, and leaves them alone when they scroll up. */
export function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [isAtBottom, setAtBottom] = useState(true);

  const scrollToBottom = useCallback(() => {
    sticks.current = true;
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);

  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return undefined;
    const onScroll = (): void => {
      sticks.current = outer.scrollHeight - outer.scrollTop - outer.clientHeight < tolerance;
      setAtBottom(sticks.current);
    };
    const observer = new ResizeObserver(() => {
      if (sticks.current) outer.scrollTop = outer.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(outer);
    outer.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      outer.removeEventListener('scroll', onScroll);
    };
  }, []);

  return { scroller, content, isAtBottom, scrollToBottom };
}
