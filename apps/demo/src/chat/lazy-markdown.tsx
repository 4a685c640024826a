import { VisibleText } from '@vitrine/react/components';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { afterBox } from '../shell/after-box.ts';

type Text = { readonly text: string };

// Asked for once somebody can write: the first answer finds it there.
let loaded: ComponentType<Text> | null = null;
const loading = afterBox(async () => (loaded = (await import('./markdown.tsx')).Markdown));

/** Settles when Markdown can be drawn, or will not be. */
export const markdownSettled: Promise<unknown> = loading.catch(() => undefined);

/** Markdown, whose reader comes after the page; until it is there, and where it does not come, the text as it is. */
export function Markdown({ text }: Text): ReactNode {
  // What has been loaded is drawn at once, and does not wait for itself.
  const [Drawn, setDrawn] = useState(() => loaded);
  const isThere = Drawn !== null;
  useEffect(() => {
    if (isThere) return;
    let isShown = true;
    void markdownSettled.then(() => isShown && setDrawn(() => loaded));
    return () => {
      isShown = false;
    };
  }, [isThere]);
  if (Drawn !== null) return <Drawn text={text} />;
  return (
    <div className="markdown" dir="auto">
      <p className="plain">
        <VisibleText text={text.trimEnd()} />
      </p>
    </div>
  );
}
