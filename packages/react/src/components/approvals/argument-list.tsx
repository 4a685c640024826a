'use client';

import type { ReactNode } from 'react';
import { jsonText } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

/** Shows the arguments of a call read-only: a list by name, or the value itself when it is no object. */
export function ArgumentList({ input }: { readonly input: unknown }): ReactNode {
  const { noArguments } = useTexts().approvals;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return <Value value={input} />;
  const entries = Object.entries(input);
  if (entries.length === 0) return <p className="vitrine-help">{noArguments}</p>;
  return (
    <dl className="vitrine-argument-list">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <VisibleText text={name} />
          </dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: unknown }): ReactNode {
  const texts = useTexts().common;
  return (
    <pre tabIndex={0} role="group" aria-label={texts.value} dir="auto">
      <VisibleText text={typeof value === 'string' ? value : (jsonText(value) ?? texts.tooDeep)} />
    </pre>
  );
}
