'use client';

import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Button } from './icon-button.tsx';
import { takeUnlessLeft } from './take-unless-left.ts';
import { useTexts } from '../texts-provider.tsx';

type Part = (props: never) => ReactNode;
type PropsOf<P extends Part> = P extends (props: infer Props extends object) => ReactNode ? Props : never;

/**
 * Creates a component whose code loads after its first render, and again when a person retries after a failure. A failure
 * affects nothing else on the page. `name` is the component's name in its module. `place` wraps the content, which is empty
 * until it has loaded.
 *
 * Not `React.lazy`: that throws into its surroundings, and delays the loaded content by at least 300 ms.
 */
export function later<Name extends string, Module extends { readonly [Each in Name]: Part }>(
  load: () => Promise<Module>,
  name: Name,
  place: (content: ReactNode) => ReactNode = (content) => content,
): ComponentType<PropsOf<Module[Name]>> {
  type Props = PropsOf<Module[Name]>;
  let known: ComponentType<Props> | null = null;

  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState(() => known);
    const [hasFailed, setFailed] = useState(false);
    const isWanted = Loaded === null && !hasFailed;
    useEffect(() => {
      if (!isWanted) return undefined;
      const loading = load().then((loaded) => (known = loaded[name] as unknown as ComponentType<Props>));
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
