import type { ReactNode } from 'react';
import { jsonText, tooDeep } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';

/** Shows the arguments of a call read-only: a list by name, or the value itself when it is no object. */
export function ArgumentList({ input }: { readonly input: unknown }): ReactNode {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return <Value value={input} />;
  const entries = Object.entries(input);
  if (entries.length === 0) return <p className="vitrine-help">No arguments.</p>;
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
  return (
    <pre tabIndex={0} role="group" aria-label="Value" dir="auto">
      <VisibleText text={typeof value === 'string' ? value : (jsonText(value) ?? tooDeep)} />
    </pre>
  );
}
