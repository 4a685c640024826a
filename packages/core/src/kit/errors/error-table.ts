import { definitionErrors } from './definition-errors.ts';
import type { ErrorFaces } from './error-faces.ts';
import { runErrors } from './run-errors.ts';
import { sessionErrors } from './session-errors.ts';
import { wireErrors } from './wire-errors.ts';

/** Every code of this library with what it says to whom: a code that is not here does not compile. */
export const errorTable = {
  ...definitionErrors,
  ...runErrors,
  ...sessionErrors,
  ...wireErrors,
} satisfies Record<string, ErrorFaces>;

export type ErrorTableCode = keyof typeof errorTable;
