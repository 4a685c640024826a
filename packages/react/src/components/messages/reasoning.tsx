'use client';

import type { ReactNode } from 'react';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { Disclosure } from './disclosure.tsx';

/** Props of `Reasoning`. */
export type ReasoningProps = {
  readonly text: string;
  /** True while the model is still reasoning. */
  readonly isStreaming?: boolean;
};

/** The reasoning of the model, closed until the person opens it. Renders nothing if there is none. */
export function Reasoning({ text, isStreaming = false }: ReasoningProps): ReactNode {
  const texts = useTexts().messages;
  if (text === '') return null;
  return (
    <Disclosure className="vitrine-reasoning" summary={isStreaming ? texts.thinking : texts.reasoning}>
      {() => (
        <p dir="auto" tabIndex={0} role="region" aria-label={texts.reasoning}>
          <VisibleText text={text} />
        </p>
      )}
    </Disclosure>
  );
}
