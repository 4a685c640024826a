import type { ReactNode } from 'react';
import { VisibleText } from '../kit/visible-text.tsx';

/** A text without formatting; the default renderer. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="vitrine-plain" dir="auto">
      <VisibleText text={text} />
    </p>
  );
}
