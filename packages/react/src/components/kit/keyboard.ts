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

/**
 * Moves the focus to a question when it appears, and back when it is answered. It does not interrupt a
 * person who is typing: the question is announced and stays reachable.
 */
export function useAskedFocus(question: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = question.current;
    const before = document.activeElement;
    if (element === null || isWriting(before)) return undefined;
    element.focus({ preventScroll: true });
    return () => {
      // Runs after the question is removed. A focus that moved elsewhere in the meantime stays there.
      setTimeout(() => {
        const { activeElement } = document;
        const isLost = activeElement === null || activeElement === document.body;
        const isOurs = activeElement?.getAttribute('role') === 'region';
        if ((isLost || isOurs) && before instanceof HTMLElement && before.isConnected) before.focus();
      }, 0);
    };
  }, [question]);
}

function isWriting(element: Element | null): boolean {
  return (
    (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) && element.value !== ''
  );
}

/** The `keyCode` of a key that an input method handles. */
const takenByMethod = 229;

/**
 * Tells whether a key event belongs to an input-method composition (Japanese, Chinese, Korean, accents).
 * Enter then accepts a suggestion and Escape dismisses it.
 *
 * Safari ends the composition before it sends the key event, so `isComposing` alone is not enough.
 */
export function isComposing({ nativeEvent }: { readonly nativeEvent: KeyboardEvent }): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === takenByMethod;
}
