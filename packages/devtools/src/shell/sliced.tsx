import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';

/** Milliseconds after which content that was not drawn in slices is drawn at once. */
const patienceMs = 500;

type SlicedProps = { readonly isLong: boolean; readonly children: ReactNode };

/** Content that is drawn in slices if it is long, so that opening it holds up no page. */
export function Sliced({ isLong, children }: SlicedProps): ReactNode {
  // React 18 draws it at once.
  const isReady = useDeferredValue(true, !isLong);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    // Each event of a run that goes on lets React begin the slices anew.
    const timer = setTimeout(setLate, patienceMs, true);
    return () => clearTimeout(timer);
  }, []);
  return (isReady || isLate) && children;
}
