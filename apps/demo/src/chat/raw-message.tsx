import { type ReactNode, useState } from 'react';
import { VisibleText } from './visible-text.tsx';

/** A message as the text that it is, for when it cannot be drawn. */
export function RawMessage({ text }: { readonly text: string }): ReactNode {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  const copy = (): void => {
    // The clipboard is missing on pages that are not served securely.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setOutcome('copied'),
        () => setOutcome('failed'),
      );
  };
  return (
    <article className="message raw" aria-label="Message that cannot be drawn">
      <p className="incomplete">This message could not be drawn. This is its text:</p>
      <pre dir="auto">
        <VisibleText text={text} />
      </pre>
      <button type="button" className="button" onClick={copy}>
        Copy
      </button>
      <span role="status">
        {outcome === 'copied' && 'Copied.'}
        {outcome === 'failed' && 'Copying is not allowed here; select the text instead.'}
      </span>
    </article>
  );
}
