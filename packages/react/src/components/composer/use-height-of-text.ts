'use client';

import { type RefObject, useEffect, useRef } from 'react';

/** Maximum height of the field in pixels. */
const highest = 220;

/** Fits the height of a field to its text, up to a limit. */
export function useHeightOfText(text: string): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, highest)}px`;
  }, [text]);
  return field;
}
