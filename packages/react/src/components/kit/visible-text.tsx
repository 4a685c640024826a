'use client';

import { type ReactNode, useMemo } from 'react';
import { useTexts } from '../texts-provider.tsx';
import { visibleParts } from './hidden-characters.ts';

/** A text with labels in place of invisible characters. */
export function VisibleText({ text }: { readonly text: string }): ReactNode {
  const { hiddenCharacters } = useTexts();
  const parts = useMemo(() => visibleParts(text, hiddenCharacters), [text, hiddenCharacters]);
  return parts.map((part, index) =>
    'label' in part ? (
      <span key={index} className="vitrine-hidden-characters" title={part.title}>
        {part.label}
      </span>
    ) : (
      part.text
    ),
  );
}
