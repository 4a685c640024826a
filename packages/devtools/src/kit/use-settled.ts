import { useState } from 'react';

/** Keeps the identity of a value while new ones are equal to it. */
export function useSettled<Value>(value: Value, isSame: (a: Value, b: Value) => boolean): Value {
  const [settled, setSettled] = useState(value);
  if (settled === value || isSame(settled, value)) return settled;
  // Set while rendering, so that no outdated frame is shown.
  setSettled(value);
  return value;
}
