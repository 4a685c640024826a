import { redact } from '@vitrine/inspect';
import { type ReactNode, useState } from 'react';
import { TextBlock } from './section.tsx';
import { useTexts } from '../texts.ts';

const shown = 2000;

type JsonProps = {
  readonly value: unknown;
  /** The names that lead to the value, as far as known. */
  readonly path: readonly string[];
};

/** A value as text below its title. */
export function TitledJson({ title, ...shown }: JsonProps & { readonly title: ReactNode }): ReactNode {
  return (
    <>
      <h3>{title}</h3>
      <Json {...shown} />
    </>
  );
}

/** A value as text; a long one is shortened until the person asks for all of it. */
export function Json({ value, path }: JsonProps): ReactNode {
  const texts = useTexts().common;
  const [isWhole, setWhole] = useState(false);
  const safe = redact(value, { path });
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe, null, 2) ?? String(value));
  const isLong = text.length > shown;
  return (
    <div>
      <TextBlock label={texts.value}>{isLong && !isWhole ? `${text.slice(0, shown)}…` : text}</TextBlock>
      {isLong && !isWhole && <button onClick={() => setWhole(true)}>{texts.showAll(text.length)}</button>}
    </div>
  );
}
