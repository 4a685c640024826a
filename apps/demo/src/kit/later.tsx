import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

type LaterOptions<Props> = {
  /** Loads the component on its first render, and again when a person retries after a failure. */
  readonly load: () => Promise<ComponentType<Props>>;
  /** The subject of the error sentence. Without a name, a failure shows nothing. */
  readonly name?: string;
  /** Wraps the content, which is empty until it has loaded. Default: no wrapper. */
  readonly place?: (content: ReactNode) => ReactNode;
};

/**
 * Creates a component whose code loads on its first render. A failure affects nothing else on the page.
 *
 * Not `React.lazy`: that throws into its surroundings, and delays the loaded content by at least 300 ms.
 */
export function later<Props extends object>(options: LaterOptions<Props>): ComponentType<Props> {
  const { load, name, place = (content) => content } = options;
  let known: ComponentType<Props> | null = null;

  return function Later(props: Props) {
    const [Loaded, setLoaded] = useState(() => known);
    const [hasFailed, setFailed] = useState(false);
    const isWanted = Loaded === null && !hasFailed;
    useEffect(() => {
      if (!isWanted) return;
      let isDrawn = true;
      load().then(
        (loaded) => {
          known = loaded;
          if (isDrawn) setLoaded(() => loaded);
        },
        () => isDrawn && setFailed(true),
      );
      return () => {
        isDrawn = false;
      };
    }, [isWanted]);
    if (Loaded !== null) return <Loaded {...props} />;
    if (!hasFailed || name === undefined) return place(null);
    return place(
      <p className="not-loaded" role="alert">
        {name} could not be loaded.{' '}
        <button className="vitrine-button" onClick={() => setFailed(false)}>
          Try again
        </button>
      </p>,
    );
  };
}
