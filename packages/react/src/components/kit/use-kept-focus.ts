'use client';

import { type RefObject, useEffect } from 'react';

/**
 * Where what has the focus goes away (a button that was pressed, a card that is answered), `fallback` has it instead of
 * nobody: who uses the keyboard stays where they were.
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
    // Elements that go may lose the focus with or without an event: who is still there has let go of it.
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
