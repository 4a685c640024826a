'use client';

import type { ReactNode } from 'react';
import { CopyButton } from '../kit/copy-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';

/** What `CodeBlock` takes. */
export type CodeBlockProps = {
  /** The code, as it is copied. */
  readonly code: string;
  /** What the answer calls it: its language, and what else stands behind the fence. Empty where it says nothing. */
  readonly info: string;
  /** The same code as elements, e.g. in colours. Default: the text. */
  readonly children?: ReactNode;
};

/** A block of code of an answer, for your own renderer of text: its language, a button that copies it, and room to scroll. */
export function CodeBlock({ code, info, children }: CodeBlockProps): ReactNode {
  return (
    <div className="vitrine-code" dir="ltr">
      <div className="vitrine-code-head">
        <span className="vitrine-code-info">
          <VisibleText text={info} />
        </span>
        <CopyButton text={code} label="Copy code" />
      </div>
      {/* Who has no mouse scrolls it with the arrow keys. */}
      <pre tabIndex={0} role="group" aria-label={info === '' ? 'Code' : `Code, ${info}`}>
        <code>{children ?? <VisibleText text={code} />}</code>
      </pre>
    </div>
  );
}
