import { fromMillionths } from '../kit/millionths.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Usage } from './usage.ts';

/**
 * Money per million tokens, in a currency of your choice: costs and `maxCost` are in the same. Cached and reasoning
 * tokens fall back to the input and output price.
 */
export type ModelPrice = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** Model and settings of an agent; never a key. */
export type LlmConfig = {
  readonly model: string | null;
  /** What the provider calls temperature, topP, maxOutputTokens and so on. */
  readonly settings: JsonObject;
  /** Prices by model id, used when the proxy reports no cost. */
  readonly prices?: { readonly [model: string]: ModelPrice };
};

/** The price of a model; null when nobody knows it. */
export function priceOf(model: string | null, config: LlmConfig | null): ModelPrice | null {
  const prices = config?.prices;
  if (model === null || prices === undefined || !Object.hasOwn(prices, model)) return null;
  return prices[model] ?? null;
}

/** The usage with its cost filled in from the price table, unless it already has one. */
export function withCost(usage: Usage, model: string | null, config: LlmConfig | null): Usage {
  const price = priceOf(model, config);
  return price === null ? usage : priced(usage, price);
}

/** The usage with its cost at a price, unless it already has one. */
export function priced(usage: Usage, price: ModelPrice): Usage {
  if (usage.cost !== null) return usage;
  const plainInput = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const millionths =
    plainInput * price.input +
    usage.cacheReadTokens * (price.cacheRead ?? price.input) +
    usage.cacheWriteTokens * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, cost: fromMillionths(millionths) };
}
