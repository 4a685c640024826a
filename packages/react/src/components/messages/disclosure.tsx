'use client';

import { type MouseEvent, type ReactNode, useState } from 'react';
import { jsonText } from '../kit/gist.ts';
import { Button, CopyButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';

type DisclosureProps = {
  readonly className: string;
  readonly summary: ReactNode;
  /** Called only while the disclosure is open. */
  readonly children: () => ReactNode;
  /** The status of the content, for styles. */
  readonly status?: string;
  readonly toolCallId?: string;
};

/** A line that opens. Its content is rendered only while it is open. */
export function Disclosure({ className, summary, children, status, toolCallId }: DisclosureProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const toggle = (event: MouseEvent): void => {
    // React controls the open state, so that the line and its content change together.
    event.preventDefault();
    setOpen((is) => !is);
  };
  return (
    <details className={className} data-status={status} data-vitrine-call={toolCallId} open={isOpen}>
      <summary onClick={toggle}>{summary}</summary>
      {isOpen && <div className="vitrine-inside">{children()}</div>}
    </details>
  );
}

/** Number of characters that are shown before the person asks for the whole text. */
const shownAtFirst = 20_000;

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
      <pre tabIndex={0} role="group" aria-label={tools[name]} dir="auto">
        <VisibleText text={shown ?? common.tooDeep} />
      </pre>
      {shown !== text && (
        <Button className="vitrine-quiet" onClick={() => setWhole(true)}>
          {tools.showAll(text?.length ?? 0)}
        </Button>
      )}
    </div>
  );
}

type ReasoningProps = {
  /** The reasoning so far. */
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
        <p dir="auto" tabIndex={0} role="group" aria-label={texts.reasoning}>
          <VisibleText text={text} />
        </p>
      )}
    </Disclosure>
  );
}
