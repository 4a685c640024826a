import { useEffect, useRef, useState } from 'react';

/** Who listens is told no more often than this, in milliseconds. */
const pause = 1000;

/**
 * A value for live regions, which read aloud whatever becomes of them: it follows at most once a second.
 * @param about What it is about; of something else it is told at once.
 */
export function useUnhurried<Value>(value: Value, about: unknown): Value {
  const [told, setTold] = useState({ value, about });
  const latest = useRef(value);
  // Set while rendering, so that nothing is said of what is no longer asked.
  if (told.about !== about) setTold({ value, about });
  const isBehind = told.value !== value;
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setTold({ value: latest.current, about }), pause);
    return () => clearTimeout(timer);
  }, [isBehind, about]);
  return told.value;
}
