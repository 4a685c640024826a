'use client';

import { type ReactNode, useState } from 'react';
import { CopyButton } from '../kit/copy-button.tsx';
import { jsonText, tooDeep } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';

/** Number of characters that are shown before the person asks for the whole text. */
const shownAtFirst = 20_000;

/** A named value in a box that scrolls: a string as it is, other values as JSON. */
export function JsonView({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === 'string' ? value : jsonText(value);
  const shown = isWhole ? text : (text?.slice(0, shownAtFirst) ?? null);
  return (
    <div className="vitrine-json">
      <div className="vitrine-json-head">
        <span className="vitrine-json-name">{name}</span>
        {text !== null && <CopyButton text={text} label={`Copy the ${name.toLowerCase()}`} />}
      </div>
      <pre tabIndex={0} role="region" aria-label={name} dir="auto">
        <VisibleText text={shown ?? tooDeep} />
      </pre>
      {shown !== text && (
        <button type="button" className="vitrine-button vitrine-quiet" onClick={() => setWhole(true)}>
          Show all {text?.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}
