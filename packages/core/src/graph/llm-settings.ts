import { isPlainObject, type JsonObject, type JsonValue } from '../kit/json.ts';
import { isSecretName } from '../kit/secrets.ts';
import { textOrNull } from '../kit/text.ts';
import { toJsonObject } from '../kit/to-json.ts';
import { checkSettings, secretPaths } from './check-settings.ts';
import type { LlmConfig } from './llm-config.ts';

/**
 * Copies a configuration as JSON. A model that is no text and prices that are no numbers are dropped.
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

/** The settings of a stored document without secrets, and the paths of the omitted ones. */
export function readSettings(settings: JsonObject): { settings: JsonObject; leftOut: readonly string[] } {
  const leftOut = secretPaths(settings);
  return { settings: leftOut.length === 0 ? settings : withoutSecrets(settings), leftOut };
}

function withoutSecrets(settings: JsonObject): JsonObject {
  const kept = Object.entries(settings).filter(([name]) => !isSecretName(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleaned(value)]));
}

function cleaned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(cleaned);
  return isPlainObject(value) ? withoutSecrets(value as JsonObject) : value;
}
