import { VisibleText } from '@vitrine/react/components';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';

const load = async (): Promise<{ default: typeof import('./markdown.tsx').Markdown }> => ({
  default: (await import('./markdown.tsx')).Markdown,
});
const Loaded = lazy(load);

/** Markdown, whose reader comes after the page; until it is there the text as it is. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  const asItIs = (
    <p className="plain">
      <VisibleText text={text} />
    </p>
  );
  return (
    <Suspense fallback={asItIs}>
      <Loaded text={text} />
    </Suspense>
  );
}

/** Asks for the reader of Markdown once the page is drawn: the first answer finds it there. */
export function useMarkdownSoon(): void {
  useEffect(() => void load(), []);
}
