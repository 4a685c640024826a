import type { ReactNode } from 'react';
import { CopyButton } from '../kit/copy-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';

/** A message as the text that it is, for when it cannot be drawn. */
export function RawMessage({ text }: { readonly text: string }): ReactNode {
  return (
    <article className="vitrine-message vitrine-raw" aria-label="Message that cannot be drawn">
      <p className="vitrine-note">This message could not be drawn. This is its text:</p>
      <pre dir="auto" tabIndex={0} role="region" aria-label="Its text">
        <VisibleText text={text} />
      </pre>
      <CopyButton text={text} label="Copy" />
    </article>
  );
}
