import { VisibleText } from '@vitrine/react/components';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { afterBox } from './after-box.ts';

type Text = { readonly text: string };

// Requested once the message box works, so that it is ready for the first answer.
let loaded: ComponentType<Text> | null = null;
const loading = afterBox(async () => (loaded = (await import('@vitrine/react/markdown')).Markdown));

/** Settles when Markdown has loaded or failed to load. */
export const markdownSettled: Promise<unknown> = loading.catch(() => undefined);

/** Renders Markdown; its parser loads after the page. Until then, or if that fails, it shows plain text. */
export function Markdown({ text }: Text): ReactNode {
  // Uses a loaded renderer at once.
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
    <div className="vitrine-markdown" dir="auto">
      <p className="vitrine-plain">
        <VisibleText text={text.trimEnd()} />
      </p>
    </div>
  );
}
