'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../texts-provider.tsx';
import { IconButton } from './icon-button.tsx';

const shownMs = 4000;

/** Copies a text and shows whether that worked. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [outcome, setOutcome] = useState<'copied' | 'copyingNotAllowed' | null>(null);
  const texts = useTexts().common;
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    // The clipboard is missing on pages without HTTPS.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setOutcome('copied'),
        () => setOutcome('copyingNotAllowed'),
      );
  };
  return (
    <>
      <IconButton icon="copy" label={label} onClick={copy} />
      <span className="vitrine-outcome" role="status">
        {outcome && texts[outcome]}
      </span>
    </>
  );
}
