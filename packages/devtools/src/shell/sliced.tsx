import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';

type SlicedProps = { readonly isLong: boolean; readonly children: ReactNode };

/** Content that is drawn in slices if it is long, so that opening it holds up no page. */
export function Sliced({ isLong, children }: SlicedProps): ReactNode {
  // React 18 draws it at once.
  const isReady = useDeferredValue(true, !isLong);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    // Each event of a run that goes on lets React begin the slices anew, so they are drawn at once in the end.
    const timer = isReady ? undefined : setTimeout(setLate, 500, true);
    return () => clearTimeout(timer);
  }, [isReady]);
  return (isReady || isLate) && children;
}
