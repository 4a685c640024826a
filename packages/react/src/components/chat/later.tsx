'use client';

import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../texts-provider.tsx';

type LaterOptions<Props> = {
  /** Loads the component after its first render, and again when a person retries after a failure. */
  readonly load: () => Promise<ComponentType<Props>>;
  /** Wraps the content, which is empty until it has loaded. Default: no wrapper. */
  readonly place?: (content: ReactNode) => ReactNode;
};

/**
 * Creates a component whose code loads after its first render. A failure affects nothing else on the page.
 *
 * Not `React.lazy`: that throws into its surroundings, and delays the loaded content by at least 300 ms.
 */
export function later<Props extends object>(options: LaterOptions<Props>): ComponentType<Props> {
  const { load, place = (content) => content } = options;
  let known: ComponentType<Props> | null = null;

  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState(() => known);
    const [hasFailed, setFailed] = useState(false);
    const isWanted = Loaded === null && !hasFailed;
    useEffect(() => {
      if (!isWanted) return undefined;
      let isShown = true;
      load().then(
        (loaded) => {
          known = loaded;
          if (isShown) setLoaded(() => loaded);
        },
        () => isShown && setFailed(true),
      );
      return () => {
        isShown = false;
      };
    }, [isWanted]);
    if (Loaded !== null) return <Loaded {...props} />;
    return place(hasFailed ? <Missing onRetry={() => setFailed(false)} /> : null);
  };
}

/** The sentence about a part that could not be loaded, with a button that tries again. */
function Missing({ onRetry }: { readonly onRetry: () => void }): ReactNode {
  const { failures, notices } = useTexts();
  return (
    <div className="vitrine-notice" role="alert">
      <p>{failures.missingPart}</p>
      <button type="button" className="vitrine-button" onClick={onRetry}>
        {notices.retry}
      </button>
    </div>
  );
}
