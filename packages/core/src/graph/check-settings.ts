import * as errors from '../kit/errors.ts';
import { isSecretName } from '../kit/secrets.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { toJsonObject } from '../kit/to-json.ts';

/**
 * Copies settings as JSON, in the shape that state can hold.
 * @throws AgentError `llm-settings-secret` when a name looks like that of a secret: state is saved, sent to other
 * windows and shown in tools.
 */
export function checkSettings(settings: unknown, owner = 'llmConfig'): JsonObject {
  const copy = toJsonObject(settings);
  const [path] = secretPaths(copy);
  if (path !== undefined) throw errors.llmSettingsSecret({ path, owner });
  return copy;
}

/** Paths of the names that look like secrets, e.g. `headers.authorization`. */
export function secretPaths(settings: JsonObject): string[] {
  return pathsIn(settings, '');
}

function pathsIn(value: JsonValue, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]: [string, JsonValue]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return isSecretName(name) ? [at] : pathsIn(child, at);
  });
}
