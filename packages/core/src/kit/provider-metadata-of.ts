import { isPlainObject } from './is-plain-object.ts';
import type { JsonObject } from './json.ts';
import { toJsonObject } from './to-json.ts';

/** Fields to spread: a copy of metadata that is a plain object, and nothing for other values. */
export function providerMetadataOf(value: unknown): { providerMetadata?: JsonObject } {
  return isPlainObject(value) ? { providerMetadata: toJsonObject(value) } : {};
}
