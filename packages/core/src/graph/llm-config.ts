import * as errors from '../kit/errors.ts';
import { type JsonObject, isPlainObject, type JsonValue } from '../kit/json.ts';
import { isSecretName } from '../kit/is-secret-name.ts';
import { isCount } from '../kit/numbers.ts';
import { textOrNull } from '../kit/text.ts';
import { toJsonObject } from '../kit/to-json.ts';

/**
 * Prices per million tokens, in a currency of your choice: costs and `maxCost` use the same one. Cached and reasoning
 * tokens fall back to the input and output price.
 */
export type ModelPrice = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** Model and settings of an agent, without keys. */
export type LlmConfig = {
  readonly model: string | null;
  /** Provider settings such as temperature, topP and maxOutputTokens. */
  readonly settings: JsonObject;
  /** Prices by model id; they take precedence over the cost that a provider reports. */
  readonly prices?: { readonly [model: string]: ModelPrice };
};

/** The price of a model; null when it is unknown. */
export function priceOf(model: string | null, config: LlmConfig | null): ModelPrice | null {
  const prices = config?.prices;
  if (model === null || prices === undefined || !Object.hasOwn(prices, model)) return null;
  return prices[model] ?? null;
}

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

/** Copies a price that another program told; null unless every amount is a finite number of at least 0. */
export function checkedPrice(given: unknown): ModelPrice | null {
  if (!isPlainObject(given)) return null;
  const { input, output, cacheRead, cacheWrite } = given;
  if (!isCount(input) || !isCount(output)) return null;
  if (![cacheRead ?? 0, cacheWrite ?? 0].every(isCount)) return null;
  return {
    input,
    output,
    ...(isCount(cacheRead) ? { cacheRead } : {}),
    ...(isCount(cacheWrite) ? { cacheWrite } : {}),
  };
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
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanValue(value)]));
}

function cleanValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(cleanValue);
  return isPlainObject(value) ? withoutSecrets(value as JsonObject) : value;
}

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

/** The form of the final answer: free text, or JSON that fits a JSON Schema. */
export type ResponseFormat =
  { readonly type: 'text' } | { readonly type: 'json'; readonly schema: JsonObject; readonly name?: string };
