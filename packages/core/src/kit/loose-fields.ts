import { isPlainObject } from './is-plain-object.ts';
import type { JsonObject } from './json.ts';
import { toJsonObject } from './to-json.ts';

// Readers of single fields of values that somebody else made.

/** The text itself, `''` for everything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text itself, null for everything else. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** To be spread: a copy of metadata that is a plain object, and nothing for everything else. */
export function providerMetadataOf(value: unknown): { providerMetadata?: JsonObject } {
  return isPlainObject(value) ? { providerMetadata: toJsonObject(value) } : {};
}
