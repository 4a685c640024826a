import * as errors from '../kit/errors.ts';
import { type JsonObject, isPlainObject, type JsonValue } from '../kit/json.ts';
import { isSecretName } from '../kit/is-secret-name.ts';
import { isCount } from '../kit/numbers.ts';
import { textOrNull } from '../kit/text.ts';
import { toJsonObject } from '../kit/to-json.ts';

/** A row of prices. Cached and reasoning tokens fall back to the input and output price of their row. */
type PriceRow = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Writes that the cache keeps for an hour or longer. Default: `cacheWrite`. */
  readonly cacheWriteHour?: number;
};

/** Prices per million tokens, in a currency of your choice: costs and `maxCost` use the same one. */
export type ModelPrice = PriceRow & {
  /** The prices of a whole request whose input, cached tokens included, has more than so many tokens. */
  readonly above?: PriceRow & { readonly tokens: number };
  /** Present when nobody published it: costs by it are estimates. */
  readonly isEstimated?: true;
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
  const known = Object.entries(toJsonObject(prices)).map(([id, price]) => [id, checkedPrice(price)] as const);
  return Object.fromEntries(known.filter((entry): entry is [string, ModelPrice] => entry[1] !== null));
}

const amounts = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour', 'tokens'] as const;

/** Copies a price that another program told; null unless every amount is a finite number of at least 0. */
export function checkedPrice(given: unknown): ModelPrice | null {
  if (!isPlainObject(given)) return null;
  const row = checkedRow(given, 5);
  if (row === null) return null;
  const price = given['isEstimated'] === true ? { ...row, isEstimated: true as const } : row;
  if ((given['above'] ?? null) === null) return price;
  const above = isPlainObject(given['above']) ? checkedRow(given['above'], 6) : null;
  return above?.tokens === undefined ? null : { ...price, above: { ...above, tokens: above.tokens } };
}

/** The first amounts of a row; null for an invalid one. */
function checkedRow(
  given: { readonly [name: string]: unknown },
  count: number,
): (PriceRow & { readonly tokens?: number }) | null {
  const known = amounts.slice(0, count).filter((name) => (given[name] ?? null) !== null);
  if (known[1] !== 'output' || !known.every((name) => isCount(given[name]))) return null;
  return Object.fromEntries(known.map((name) => [name, given[name]])) as PriceRow;
}

/**
 * The row of a price by which a whole request is paid.
 * @param inputTokens All tokens of its input, cached ones included.
 */
export function priceRow(price: ModelPrice, inputTokens: number): PriceRow {
  return price.above !== undefined && inputTokens > price.above.tokens ? price.above : price;
}

/** All prices that a token of input may have, plain, read or written, in a request of at least and at most so many. */
export function inputPrices(price: ModelPrice, least: number, most: number): readonly number[] {
  return [priceRow(price, least), priceRow(price, most)].flatMap(
    ({ input, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite }) => [
      input,
      cacheRead,
      cacheWrite,
      cacheWriteHour,
    ],
  );
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
export function secretPaths(value: JsonValue, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]: [string, JsonValue]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return isSecretName(name) ? [at] : secretPaths(child, at);
  });
}

/** The form of the final answer: free text, or JSON that fits a JSON Schema. */
export type ResponseFormat =
  { readonly type: 'text' } | { readonly type: 'json'; readonly schema: JsonObject; readonly name?: string };
