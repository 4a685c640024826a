import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * Loads a component when it is first rendered and shows `waiting` until then. A failure is shown with a
 * button to try again.
 *
 * Not `React.lazy`: React delays the content of a suspended component by at least 300 ms, and keeps a
 * failure forever.
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
      <p>
        This part of the panel could not be loaded. The page may be offline, or a newer version was deployed.
      </p>
      <p className="facts">{failure}</p>
      <button onClick={onRetry}>Try again</button>
    </div>
  );
}
