import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component that is loaded when it is shown for the first time; `waiting` stands in its place until then. When it
 * cannot be loaded, that is said, and it can be tried again. Not by `lazy`: React shows what has suspended no sooner
 * than 300 ms after what stood in its place, and keeps a failure for good.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: string,
): ComponentType<Props> {
  let known: ComponentType<Props> | null = null;

  return function Later(props) {
    const [View, setView] = useState(() => known);
    const [failure, setFailure] = useState<string | null>(null);
    const isWanted = View === null && failure === null;
    useEffect(() => {
      if (!isWanted) return;
      let isShown = true;
      load().then(
        (loaded) => {
          known = loaded;
          if (isShown) setView(() => loaded);
        },
        (error: unknown) => isShown && setFailure(String(error)),
      );
      return () => {
        isShown = false;
      };
    }, [isWanted]);
    if (View !== null) return <View {...props} />;
    if (failure !== null) return <NotLoaded failure={failure} onRetry={() => setFailure(null)} />;
    return <p className="empty">{waiting}</p>;
  };
}

type NotLoadedProps = { readonly failure: string; readonly onRetry: () => void };

function NotLoaded({ failure, onRetry }: NotLoadedProps): ReactNode {
  return (
    <div className="empty" role="alert">
      <p>This part of the panel could not be loaded: the page may be offline, or a newer one was deployed.</p>
      <p className="facts">{failure}</p>
      <button onClick={onRetry}>Try again</button>
    </div>
  );
}
