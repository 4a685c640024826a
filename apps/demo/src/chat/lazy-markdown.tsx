import { VisibleText } from '@vitrine/react/components';
import { lazy, type ReactNode, Suspense } from 'react';
import { afterBox } from '../shell/after-box.ts';

// Asked for once somebody can write: the first answer finds it there.
const loading = afterBox(() => import('./markdown.tsx'));
const Loaded = lazy(async () => ({ default: (await loading).Markdown }));

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
