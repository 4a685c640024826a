import * as errors from '../kit/errors.ts';
import { isPlainObject } from '../kit/is-plain-object.ts';
import { isSecretName } from '../kit/is-secret-name.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { textOrNull } from '../kit/text-of.ts';
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

/**
 * A configuration that somebody gives: a copy as JSON, without a model that is no text and prices that are no numbers.
 * @throws AgentError `llm-settings-secret`, see `checkSettings`.
 */
export function ownLlmConfig({ model, settings, prices }: LlmConfig): LlmConfig {
  const copy = { model: textOrNull(model), settings: checkSettings(settings) };
  return prices === undefined ? copy : { ...copy, prices: ownPrices(prices) };
}

function ownPrices(prices: NonNullable<LlmConfig['prices']>): NonNullable<LlmConfig['prices']> {
  const known = Object.entries(toJsonObject(prices)).filter(([, price]) => isPrice(price));
  return Object.fromEntries(known) as NonNullable<LlmConfig['prices']>;
}

function isPrice(price: JsonValue): boolean {
  if (!isPlainObject(price)) return false;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = price;
  return [input, output, cacheRead, cacheWrite].every((amount) => typeof amount === 'number');
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
