import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps the focus in sight where a narrow panel shows either a list or its inspector: it moves to the button
 * that leads back, and from there into the list.
 * @param isInside True if the inspector is shown in place of the list.
 * @returns The `ref` of the element around both.
 */
export function useTwoPages(isInside: boolean): RefObject<HTMLDivElement | null> {
  const whole = useRef<HTMLDivElement>(null);
  const wasInside = useRef(isInside);
  useEffect(() => {
    if (wasInside.current === isInside) return;
    wasInside.current = isInside;
    const back = whole.current?.querySelector<HTMLElement>('.back');
    // In a wide panel both are seen, and the button is not.
    if (!back || (isInside && back.offsetParent === null)) return;
    const list = whole.current?.querySelector<HTMLElement>('[role="tree"]');
    (isInside ? back : list)?.focus();
  }, [isInside]);
  return whole;
}
