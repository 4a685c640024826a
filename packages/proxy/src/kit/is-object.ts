import type { JsonObject } from '@vitrine/core';

/** True for a JSON object, which is no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
