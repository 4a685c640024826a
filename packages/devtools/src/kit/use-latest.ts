import { useEffect, useRef } from 'react';

/** The value of the latest render, for listeners that stay while it changes. */
export function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
