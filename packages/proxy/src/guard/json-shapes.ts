import type { JsonObject, JsonValue } from '@vitrine/core';
import * as z from 'zod';

// The body was parsed as JSON. Checking it once more costs seconds for a large conversation.

/** Any JSON value except undefined. */
export const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>(
  (value) => value !== undefined,
  'expected a value',
);

/** An object with any content. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);
