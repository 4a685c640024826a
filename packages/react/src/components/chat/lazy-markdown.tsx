'use client';

import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';
import { VisibleText } from '../kit/visible-text.tsx';

type Text = { readonly text: string; readonly isStreaming?: boolean | undefined };

let loaded: ComponentType<Text> | null = null;
let loading: Promise<unknown> | null = null;

/** Loads `Markdown`, once. Settles when it has loaded; after a failure the next call tries again. */
export function loadMarkdown(): Promise<unknown> {
  loading ??= import('../markdown/index.ts').then(
    ({ Markdown }) => (loaded = Markdown),
    () => (loading = null),
  );
  return loading;
}

/**
 * `Markdown`, whose parser loads after the page. Until then the text is hidden for a moment, because
 * rendering it twice would make it jump. Then, or if loading fails, it is shown as it is.
 */
export function LazyMarkdown({ text, isStreaming }: Text): ReactNode {
  const [Loaded, setLoaded] = useState(() => loaded);
  const isThere = Loaded !== null;
  useEffect(() => {
    return isThere ? undefined : takeUnlessLeft(loadMarkdown(), () => setLoaded(() => loaded));
  }, [isThere]);
  if (Loaded !== null) return <Loaded text={text} isStreaming={isStreaming} />;
  return (
    <div className="vitrine-markdown vitrine-unparsed" dir="auto">
      <p className="vitrine-plain">
        <VisibleText text={text.trimEnd()} />
      </p>
    </div>
  );
}
