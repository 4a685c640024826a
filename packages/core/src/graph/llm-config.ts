import { fromMillionths } from '../kit/millionths.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Usage } from './usage.ts';

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

/** The usage with its cost at a price, in place of a reported cost. */
export function priced(usage: Usage, price: ModelPrice): Usage {
  const plainInput = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const millionths =
    plainInput * price.input +
    usage.cacheReadTokens * (price.cacheRead ?? price.input) +
    usage.cacheWriteTokens * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, cost: fromMillionths(millionths) };
}
