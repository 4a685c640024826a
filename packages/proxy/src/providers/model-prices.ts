import type { ModelPrice } from '@vitrine/core';

/** Prices of models with their origin. Copy what you need, or give prices of your own. */
export type PriceTable = {
  /** The day of the figures, as `2026-08-05`. */
  readonly day: string;
  /** The places of the figures. */
  readonly sources: readonly string[];
  /** US dollars per million tokens by `provider:model`, for requests of usual length. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
};

function price(input: number, output: number, cacheRead?: number): ModelPrice {
  return cacheRead === undefined ? { input, output } : { input, output, cacheRead };
}

/** Anthropic asks a tenth of the input for what is read from its cache, and 1.25 times for what is written there. */
function claude(input: number, output: number): ModelPrice {
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 };
}

/**
 * List prices of models that `modelsFromEnv` serves by default, and of their siblings. Some providers ask more for
 * requests of more than 200,000 tokens, and providers change their prices: `VITRINE_PRICES` and `price` of a model take
 * precedence.
 */
export const modelPrices: PriceTable = {
  day: '2026-08-05',
  sources: [
    'https://www.llm-prices.com (github.com/simonw/llm-prices, commit 723ef0b)',
    'https://platform.claude.com/docs/en/build-with-claude/prompt-caching (cache prices of Anthropic)',
  ],
  prices: {
    'openai:gpt-5': price(1.25, 10, 0.125),
    'openai:gpt-5-mini': price(0.25, 2, 0.025),
    'openai:gpt-5-nano': price(0.05, 0.4, 0.005),
    'openai:gpt-5.1': price(1.25, 10, 0.125),
    'openai:gpt-5.2': price(1.75, 14, 0.175),
    'openai:gpt-5.4': price(2.5, 15, 0.25),
    'openai:gpt-5.4-mini': price(0.75, 4.5, 0.075),
    'openai:gpt-5.4-nano': price(0.2, 1.25, 0.02),
    'openai:gpt-5.5': price(5, 30, 0.5),
    'openai:gpt-4.1': price(2, 8, 0.5),
    'openai:gpt-4.1-mini': price(0.4, 1.6, 0.1),
    'openai:gpt-4.1-nano': price(0.1, 0.4, 0.025),
    'openai:gpt-4o': price(2.5, 10, 1.25),
    'openai:gpt-4o-mini': price(0.15, 0.6, 0.075),
    'openai:o4-mini': price(1.1, 4.4, 0.275),
    'anthropic:claude-sonnet-4-5': claude(3, 15),
    'anthropic:claude-haiku-4-5': claude(1, 5),
    'anthropic:claude-opus-4-1': claude(15, 75),
    'anthropic:claude-opus-4-5': claude(5, 25),
    'anthropic:claude-opus-4-6': claude(5, 25),
    'anthropic:claude-opus-4-7': claude(5, 25),
    'anthropic:claude-opus-4-8': claude(5, 25),
    'google:gemini-2.5-flash': price(0.3, 2.5, 0.03),
    'google:gemini-2.5-flash-lite': price(0.1, 0.4, 0.01),
    'google:gemini-2.5-pro': price(1.25, 10, 0.125),
    'google:gemini-3.5-flash': price(1.5, 9, 0.15),
    'google:gemini-3.5-flash-lite': price(0.3, 2.5, 0.03),
    'google:gemini-3.6-flash': price(1.5, 7.5, 0.15),
  },
};

/** The listed price of a model, also under a name with the day of a version; undefined when it is not listed. */
export function listedPrice(id: string): ModelPrice | undefined {
  const { prices } = modelPrices;
  const name = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return Object.hasOwn(prices, name) ? prices[name] : undefined;
}
