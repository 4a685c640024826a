import { VisibleText } from '@vitrine/react/components';
import { lazy, type ReactNode, Suspense } from 'react';

const load = async (): Promise<{ default: typeof import('./markdown.tsx').Markdown }> => ({
  default: (await import('./markdown.tsx')).Markdown,
});
const Loaded = lazy(load);

/** Markdown, whose reader comes with the first answer; until then the text as it is. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <Suspense
      fallback={
        <p className="plain">
          <VisibleText text={text} />
        </p>
      }
    >
      <Loaded text={text} />
    </Suspense>
  );
}
