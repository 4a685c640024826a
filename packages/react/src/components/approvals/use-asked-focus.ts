'use client';

import { type RefObject, useEffect } from 'react';

/**
 * Brings the focus to a question when it comes, and back to where it was when it is answered. Who is in the middle of a
 * text keeps it: the question is read out, and stands where it can be reached.
 */
export function useAskedFocus(question: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = question.current;
    const before = document.activeElement;
    if (element === null || isWriting(before)) return undefined;
    element.focus({ preventScroll: true });
    return () => {
      // Once it is gone. Who has gone elsewhere meanwhile stays there.
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
