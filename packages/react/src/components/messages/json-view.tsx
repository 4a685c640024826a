'use client';

import { type ReactNode, useState } from 'react';
import { CopyButton } from '../kit/copy-button.tsx';
import { jsonText } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

/** Number of characters that are shown before the person asks for the whole text. */
const shownAtFirst = 20_000;

/** The names of the values, with the labels of their copy buttons. */
const copyLabels = {
  input: 'copyInput',
  result: 'copyResult',
  error: 'copyError',
  task: 'copyTask',
} as const;

type JsonViewProps = { readonly name: keyof typeof copyLabels; readonly value: unknown };

/** A named value in a box that scrolls: a string as it is, other values as JSON. */
export function JsonView({ name, value }: JsonViewProps): ReactNode {
  const { common, tools } = useTexts();
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === 'string' ? value : jsonText(value);
  const shown = isWhole ? text : (text?.slice(0, shownAtFirst) ?? null);
  return (
    <div className="vitrine-json">
      <div className="vitrine-json-head">
        <span className="vitrine-json-name">{tools[name]}</span>
        {text !== null && <CopyButton text={text} label={tools[copyLabels[name]]} />}
      </div>
      <pre tabIndex={0} role="region" aria-label={tools[name]} dir="auto">
        <VisibleText text={shown ?? common.tooDeep} />
      </pre>
      {shown !== text && (
        <button type="button" className="vitrine-button vitrine-quiet" onClick={() => setWhole(true)}>
          {tools.showAll(text?.length ?? 0)}
        </button>
      )}
    </div>
  );
}
