import type { KeyboardEvent } from 'react';

/** What browsers say of a key that an input method takes. */
const takenByMethod = 229;

/**
 * True for keys that belong to what is being composed (Japanese, Chinese, Korean, accents): Enter takes a suggestion, and
 * Escape leaves it. Safari ends the composition before it tells of the key.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === takenByMethod;
}
