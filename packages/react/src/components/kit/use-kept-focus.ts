'use client';

import { type RefObject, useEffect } from 'react';

/**
 * Keeps the keyboard focus inside an area. When the focused element is removed (a pressed button, an
 * answered card), `fallback` gets the focus.
 */
export function useKeptFocus(
  area: RefObject<HTMLElement | null>,
  fallback: (area: HTMLElement) => HTMLElement | null,
): void {
  useEffect(() => {
    const element = area.current;
    if (element === null) return undefined;
    let last: Element | null = null;
    const onFocusIn = ({ target }: FocusEvent): void => {
      last = target instanceof Element && target !== element ? target : null;
    };
    const onFocusOut = ({ target, relatedTarget }: FocusEvent): void => {
      if (target === last && (relatedTarget !== null || last?.isConnected === true))
        setTimeout(forget, 0, last);
    };
    // A removed element may lose the focus with or without an event. An element that is still there was
    // left on purpose.
    const forget = (left: Element): void => {
      if (left === last && left.isConnected && document.activeElement !== left) last = null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected) return;
      last = null;
      if (document.activeElement === null || document.activeElement === document.body)
        fallback(element)?.focus({ preventScroll: true });
    });
    observer.observe(element, { childList: true, subtree: true });
    element.addEventListener('focusin', onFocusIn);
    element.addEventListener('focusout', onFocusOut);
    return () => {
      observer.disconnect();
      element.removeEventListener('focusin', onFocusIn);
      element.removeEventListener('focusout', onFocusOut);
    };
  }, [area, fallback]);
}
