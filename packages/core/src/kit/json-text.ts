import { memoize } from './memoize.ts';

/** The JSON text of an immutable value, memoised. */
export const jsonText: (value: object) => string = memoize((value) => JSON.stringify(value));
