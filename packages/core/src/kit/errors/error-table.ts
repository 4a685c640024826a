import { definitionErrors } from './definition-errors.ts';
import type { ErrorTexts } from './error-texts.ts';
import { runErrors } from './run-errors.ts';
import { sessionErrors } from './session-errors.ts';
import { wireErrors } from './wire-errors.ts';

/** Every error code of this library with its three texts. Using an unlisted code does not compile. */
export const errorTable = {
  ...definitionErrors,
  ...runErrors,
  ...sessionErrors,
  ...wireErrors,
} satisfies Record<string, ErrorTexts>;

export type ErrorTableCode = keyof typeof errorTable;
