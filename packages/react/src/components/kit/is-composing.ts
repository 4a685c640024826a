import type { KeyboardEvent } from 'react';

/** The `keyCode` of a key that an input method handles. */
const takenByMethod = 229;

/**
 * Tells whether a key event belongs to an input-method composition (Japanese, Chinese, Korean, accents).
 * Enter then accepts a suggestion and Escape dismisses it.
 *
 * Safari ends the composition before it sends the key event, so `isComposing` alone is not enough.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === takenByMethod;
}
