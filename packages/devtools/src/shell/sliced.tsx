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
    if (isReady) return undefined;
    // Each event of a run that goes on lets React begin the slices anew.
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isReady]);
  return (isReady || isLate) && children;
}
