'use client';

import { useEffect, useState } from 'react';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';
import type { MathsReader } from './draw-markdown.tsx';

let loaded: MathsReader | null = null;

/** Loads the renderer of formulas with the first text that contains one. Null until then, and if loading fails. */
export function useMaths(text: string): MathsReader | null {
  const isAsked = text.includes('$$') || /^ {0,3}(?:`{3,}|~{3,})math\b/m.test(text);
  const [maths, setMaths] = useState(loaded);
  useEffect(() => {
    if (!isAsked || maths !== null) return undefined;
    const loading = import('./maths.tsx').then(({ mathsReader }) => (loaded = mathsReader));
    return takeUnlessLeft(loading, setMaths);
  }, [isAsked, maths]);
  return isAsked ? maths : null;
}
