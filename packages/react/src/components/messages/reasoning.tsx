'use client';

import type { ReactNode } from 'react';
import { VisibleText } from '../kit/visible-text.tsx';
import { Disclosure } from './disclosure.tsx';

/** Props of `Reasoning`. */
export type ReasoningProps = {
  readonly text: string;
  /** True while the model is still reasoning. */
  readonly isStreaming?: boolean;
};

/** The reasoning of the model, closed until the person opens it. Renders nothing if there is none. */
export function Reasoning({ text, isStreaming = false }: ReasoningProps): ReactNode {
  if (text === '') return null;
  return (
    <Disclosure className="vitrine-reasoning" summary={isStreaming ? 'Thinking…' : 'Reasoning'}>
      {() => (
        <p dir="auto" tabIndex={0} role="region" aria-label="Reasoning">
          <VisibleText text={text} />
        </p>
      )}
    </Disclosure>
  );
}
