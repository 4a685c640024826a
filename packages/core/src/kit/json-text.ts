import { memoize } from './memoize.ts';

/** The JSON of a value that nobody changes, written once for as long as the value lives. */
export const jsonText: (value: object) => string = memoize((value) => JSON.stringify(value));
