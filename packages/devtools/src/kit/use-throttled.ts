import { useEffect, useRef, useState } from 'react';

/** Minimum time between two announcements in milliseconds. */
const pause = 1000;

/**
 * Slows a value down for live regions, which screen readers announce on each change: it follows at most
 * once a second.
 * @param about The subject of the value; a new subject is announced at once.
 */
export function useThrottled<Value>(value: Value, about: unknown): Value {
  const [shown, setShown] = useState({ value, about });
  const latest = useRef(value);
  // Set while rendering, so that the value of an old subject is not announced.
  if (shown.about !== about) setShown({ value, about });
  const isBehind = shown.value !== value;
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown({ value: latest.current, about }), pause);
    return () => clearTimeout(timer);
  }, [isBehind, about]);
  return shown.value;
}
