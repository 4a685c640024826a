import type { JsonObject } from '../../kit/json.ts';
import { readSettings } from '../llm-settings.ts';

/** Settings without the keys that an older version has saved; `warn` hears where they were. */
export function decodeSettings(
  encoded: JsonObject | undefined,
  { warn }: { readonly warn: (path: string, what: string) => void },
  path: string,
): JsonObject {
  const { settings, leftOut } = readSettings(encoded ?? {});
  for (const at of leftOut) warn(`${path}.${at}`, 'it looks like a secret and was left out');
  return settings;
}
