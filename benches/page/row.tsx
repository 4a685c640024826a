import { memo, type ReactNode, useLayoutEffect } from 'react';
import { counts, shown } from './probe.ts';

/** Ids of the messages before the stream. */
export const history = new Set<string>();

/** The mode of rows: the text, or only its length, which costs the browser no layout. */
export const view = { isBlind: false };

/**
 * A message row. It is skipped only for the same message object, which reveals a library that recreates messages.
 * Nothing compares texts.
 */
export const Row = memo(function Row({ message }: { readonly message: RowMessage }): ReactNode {
  const text = textOf(message);
  if (history.has(message.id)) counts.history++;
  useLayoutEffect(() => shown(message.id, text.length));
  return <p>{view.isBlind ? text.length : text}</p>;
});

export type RowMessage = {
  readonly id: string;
  readonly parts: readonly { readonly type: string; readonly text?: string; readonly toolName?: string }[];
};

function textOf({ parts }: RowMessage): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : part.type === 'tool-call' ? `[${part.toolName}]` : ''))
    .join('');
}
