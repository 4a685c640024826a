import type { JsonObject } from '../kit/json.ts';
import type { Usage } from './usage.ts';

/** US dollars per million tokens. Cached and reasoning tokens fall back to the input and output price. */
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

/** The usage with its cost filled in from the price table, unless it already has one. */
export function withCost(usage: Usage, model: string | null, config: LlmConfig | null): Usage {
  const price = model === null ? undefined : config?.prices?.[model];
  if (usage.cost !== null || price === undefined) return usage;
  const plainInput = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const dollars =
    plainInput * price.input +
    usage.cacheReadTokens * (price.cacheRead ?? price.input) +
    usage.cacheWriteTokens * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, cost: dollars / 1_000_000 };
}
