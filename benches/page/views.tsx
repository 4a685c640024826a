import { memo, type ReactNode, useLayoutEffect } from 'react';
import { counts } from './scenario.ts';

/** A message of the history. */
export const Old = memo(function Old({ text }: { readonly text: string }): ReactNode {
  // What was sent is shown by the same component, and is no history.
  if (text.startsWith('Message')) counts.history++;
  return <p className="old">{text}</p>;
});

/** The message that streams. */
export const Live = memo(function Live({ text }: { readonly text: string }): ReactNode {
  counts.live++;
  useLayoutEffect(() => {
    counts.commits++;
  });
  return <p id="live">{text}</p>;
});
