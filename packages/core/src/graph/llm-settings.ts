import * as errors from '../kit/errors.ts';
import { isPlainObject } from '../kit/is-plain-object.ts';
import { isSecretName } from '../kit/is-secret-name.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { toJsonObject } from '../kit/to-json.ts';
import type { LlmConfig } from './llm-config.ts';

/**
 * Settings that somebody gives, as state may hold them: a copy as JSON.
 * @throws AgentError `llm-settings-secret` when a name in them looks like that of a secret: state is saved, sent to
 * other windows and shown in tools.
 */
export function checkSettings(settings: unknown, owner = 'llmConfig'): JsonObject {
  const copy = toJsonObject(settings);
  const [path] = secretPaths(copy);
  if (path !== undefined) throw errors.llmSettingsSecret({ path, owner });
  return copy;
}

/** A configuration that somebody gives: a copy as JSON. @throws AgentError `llm-settings-secret`, see `checkSettings`. */
export function ownLlmConfig(config: LlmConfig): LlmConfig {
  const { model, settings, prices } = config;
  const copy = { model: model ?? null, settings: checkSettings(settings) };
  return prices === undefined
    ? copy
    : { ...copy, prices: toJsonObject(prices) as NonNullable<LlmConfig['prices']> };
}

/** Settings of a stored document without what looks like a secret, and the paths of what was left out. */
export function readSettings(settings: JsonObject): { settings: JsonObject; leftOut: readonly string[] } {
  const leftOut = secretPaths(settings);
  return { settings: leftOut.length === 0 ? settings : withoutSecrets(settings), leftOut };
}

/** Where names stand that secrets have, e.g. `headers.authorization`. */
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

function withoutSecrets(settings: JsonObject): JsonObject {
  const kept = Object.entries(settings).filter(([name]) => !isSecretName(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleaned(value)]));
}

function cleaned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(cleaned);
  return isPlainObject(value) ? withoutSecrets(value as JsonObject) : value;
}
