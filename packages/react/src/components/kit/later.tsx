'use client';

import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Button } from './icon-button.tsx';
import { takeUnlessLeft } from './take-unless-left.ts';
import { useTexts } from '../texts-provider.tsx';

/**
 * Creates a component whose code loads after its first render, and again when a person retries after a failure. A failure
 * affects nothing else on the page. `place` wraps the content, which is empty until it has loaded.
 *
 * Not `React.lazy`: that throws into its surroundings, and delays the loaded content by at least 300 ms.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  place: (content: ReactNode) => ReactNode = (content) => content,
): ComponentType<Props> {
  let known: ComponentType<Props> | null = null;

  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState(() => known);
    const [hasFailed, setFailed] = useState(false);
    const isWanted = Loaded === null && !hasFailed;
    useEffect(() => {
      if (!isWanted) return undefined;
      const loading = load().then((loaded) => (known = loaded));
      return takeUnlessLeft(
        loading,
        (loaded) => setLoaded(() => loaded),
        () => setFailed(true),
      );
    }, [isWanted]);
    if (Loaded !== null) return <Loaded {...props} />;
    return place(hasFailed ? <Missing onRetry={() => setFailed(false)} /> : null);
  };
}

function Missing({ onRetry }: { readonly onRetry: () => void }): ReactNode {
  const { failures, notices } = useTexts();
  return (
    <div className="vitrine-notice" role="alert">
      <p>{failures.missingPart}</p>
      <Button onClick={onRetry}>{notices.retry}</Button>
    </div>
  );
}
