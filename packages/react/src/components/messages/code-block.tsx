'use client';

import type { ReactNode } from 'react';
import { CopyButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

type CodeBlockProps = {
  /** The code as the copy button copies it. */
  readonly code: string;
  /** The info string of the fence: the language and the words after it. May be empty. */
  readonly info: string;
  /** The same code as elements, e.g. highlighted. Default: plain text. */
  readonly children?: ReactNode;
};

/** A code block of an answer, for your own renderer of text. It shows the language and a copy button, and scrolls. */
export function CodeBlock({ code, info, children }: CodeBlockProps): ReactNode {
  const texts = useTexts().messages;
  return (
    <div className="vitrine-code" dir="ltr">
      <div className="vitrine-code-head">
        <span className="vitrine-code-info">
          <VisibleText text={info} />
        </span>
        <CopyButton text={code} label={texts.copyCode} />
      </div>
      {/* Focusable, so that the arrow keys scroll it. */}
      <pre tabIndex={0} role="group" aria-label={texts.code(info)}>
        <code>{children ?? <VisibleText text={code} />}</code>
      </pre>
    </div>
  );
}
