'use client';

import type { ReactNode } from 'react';
import { CopyButton } from '../kit/copy-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

/** The plain text of a message that cannot be rendered. */
export function RawMessage({ text }: { readonly text: string }): ReactNode {
  const texts = useTexts().messages;
  return (
    <article className="vitrine-message vitrine-raw" aria-label={texts.notDisplayed}>
      <p className="vitrine-note">{texts.notDisplayedNote}</p>
      <pre dir="auto" tabIndex={0} role="region" aria-label={texts.itsText}>
        <VisibleText text={text} />
      </pre>
      <CopyButton text={text} label={texts.copy} />
    </article>
  );
}
