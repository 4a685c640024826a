import type { JsonObject, JsonValue } from '@vitrine/core';
import * as z from 'zod';

// What was parsed as JSON is JSON. Walking through it once more costs seconds for a large conversation.

/** Anything that JSON can hold, once it is there at all. */
export const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>(
  (value) => value !== undefined,
  'expected a value',
);

/** An object, whatever is in it. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);
