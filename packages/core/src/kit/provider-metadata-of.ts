import { isPlainObject } from './is-plain-object.ts';
import type { JsonObject } from './json.ts';
import { toJsonObject } from './to-json.ts';

/** To be spread: a copy of metadata that is a plain object, and nothing for everything else. */
export function providerMetadataOf(value: unknown): { providerMetadata?: JsonObject } {
  return isPlainObject(value) ? { providerMetadata: toJsonObject(value) } : {};
}
