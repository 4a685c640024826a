import { redact } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';

const shown = 2000;

/** Any value as text; a long one on demand. */
export function Json({ value }: { readonly value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === 'string' ? value : (JSON.stringify(redact(value), null, 2) ?? String(value));
  const isLong = text.length > shown;
  return (
    <div>
      <pre>{isLong && !isWhole ? `${text.slice(0, shown)}…` : text}</pre>
      {isLong && !isWhole && (
        <button onClick={() => setWhole(true)}>Show all {text.length.toLocaleString('en')} characters</button>
      )}
    </div>
  );
}
