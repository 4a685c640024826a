import type { JsonObject } from '../../kit/json.ts';
import { readSettings } from '../llm-settings.ts';

/** Reads settings without the secrets that an older version saved; `warn` receives their paths. */
export function decodeSettings(
  encoded: JsonObject | undefined,
  { warn }: { readonly warn: (path: string, what: string) => void },
  path: string,
): JsonObject {
  const { settings, leftOut } = readSettings(encoded ?? {});
  for (const at of leftOut) warn(`${path}.${at}`, 'it looks like a secret and was left out');
  return settings;
}
