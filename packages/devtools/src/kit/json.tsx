import { redact } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { TextBlock } from './text-block.tsx';

const shown = 2000;

/** Any value as text; a long one on demand. */
export function Json({ value }: { readonly value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const safe = redact(value);
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe, null, 2) ?? String(value));
  const isLong = text.length > shown;
  return (
    <div>
      <TextBlock label="Value">{isLong && !isWhole ? `${text.slice(0, shown)}…` : text}</TextBlock>
      {isLong && !isWhole && (
        <button onClick={() => setWhole(true)}>Show all {text.length.toLocaleString('en')} characters</button>
      )}
    </div>
  );
}
