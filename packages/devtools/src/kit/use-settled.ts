import { useState } from 'react';

/** A value that stays the same one as long as another one says the same. */
export function useSettled<Value>(value: Value, isSame: (a: Value, b: Value) => boolean): Value {
  const [settled, setSettled] = useState(value);
  if (settled === value || isSame(settled, value)) return settled;
  // Set while rendering, so that nothing else is shown in between.
  setSettled(value);
  return value;
}
