'use client';

import { type RefObject, useEffect } from 'react';

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
