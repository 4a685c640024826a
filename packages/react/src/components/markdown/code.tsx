'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { CodeBlock } from '../messages/code-block.tsx';
import type { Token } from './highlight.ts';
import { pageBox } from './page-box.ts';

type CodeProps = {
  readonly info: string;
  readonly code: string;
  /** False while the code streams; it gets its colours once, at the end. */
  readonly isFinished: boolean;
};

/** A code block. Its highlighter loads later; if that fails, the code stays in one colour. */
export function Code({ info, code, isFinished }: CodeProps): ReactNode {
  const language = /^[^\s{,]*/.exec(info)?.[0].toLowerCase() ?? '';
  const [tokens, setTokens] = useState<readonly Token[] | null>(null);
  useEffect(() => {
    if (!isFinished || language === '') return undefined;
    let cancel = (): void => undefined;
    const leave = takeUnlessLeft(import('./highlight.ts'), ({ highlight }) => {
      const colour = (): void => {
        const found = pageBox.take(() => ({ tokens: highlight(code, language) }));
        if (found !== null) setTokens(found.tokens);
        else cancel = pageBox.whenFree(colour);
      };
      colour();
    });
    return () => {
      leave();
      cancel();
      setTokens(null);
    };
  }, [code, language, isFinished]);
  return (
    <CodeBlock info={info} code={code}>
      {tokens?.map(({ text, className }, index) => (
        <span key={index} className={className ?? undefined}>
          <VisibleText text={text} />
        </span>
      ))}
    </CodeBlock>
  );
}
