import type { ReactNode } from 'react';
import { CopyButton } from '../kit/copy-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';

/** The plain text of a message that cannot be rendered. */
export function RawMessage({ text }: { readonly text: string }): ReactNode {
  return (
    <article className="vitrine-message vitrine-raw" aria-label="Message that cannot be displayed">
      <p className="vitrine-note">This message cannot be displayed. Its text:</p>
      <pre dir="auto" tabIndex={0} role="region" aria-label="Its text">
        <VisibleText text={text} />
      </pre>
      <CopyButton text={text} label="Copy" />
    </article>
  );
}
