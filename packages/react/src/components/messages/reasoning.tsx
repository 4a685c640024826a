'use client';

import type { ReactNode } from 'react';
import { VisibleText } from '../kit/visible-text.tsx';
import { Disclosure } from './disclosure.tsx';

/** What `Reasoning` takes. */
export type ReasoningProps = {
  readonly text: string;
  /** More of it may come. */
  readonly isStreaming?: boolean;
};

/** What the model has thought, closed until somebody wants to read it. Nothing where there is none. */
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
