import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

type LaterOptions<Props> = {
  /** Loads it: when it is first drawn, and again when that failed and somebody asks for it. */
  readonly load: () => Promise<ComponentType<Props>>;
  /** What it is to the reader, at the beginning of a sentence; without a name it is left out when it does not come. */
  readonly name?: string;
  /** Where it stands, with nothing in it until it is there. Default: no element of its own. */
  readonly place?: (content: ReactNode) => ReactNode;
};

/**
 * A component whose code comes when it is first drawn. One that does not come takes nothing else of the page along. Not
 * by `lazy`: that throws into all around it, and shows what came no sooner than 300 ms after what stood in its place.
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
