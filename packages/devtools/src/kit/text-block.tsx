import type { ReactNode } from 'react';
import { useTexts } from '../texts.ts';

type TextBlockProps = {
  /** The accessible name of a long text. */
  readonly label?: string;
  readonly children: string;
};

const longest = { characters: 900, lines: 16 };

/** A text without formatting. A long one scrolls, also by keyboard. */
export function TextBlock({ label, children }: TextBlockProps): ReactNode {
  const texts = useTexts().common;
  const isLong = children.length > longest.characters || linesOf(children) > longest.lines;
  return (
    <pre
      data-long={isLong}
      {...(isLong ? { tabIndex: 0, role: 'group', 'aria-label': label ?? texts.text } : {})}
    >
      {children}
    </pre>
  );
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= longest.lines; at = text.indexOf('\n', at + 1))
    lines++;
  return lines;
}
