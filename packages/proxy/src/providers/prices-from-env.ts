import type { ModelPrice } from '@vitrine/core';
import { type EnvRecord, wrongSetting, listOf } from '../kit/env-record.ts';

/**
 * Prices of models by `provider:model` from `VITRINE_PRICES`, in dollars for a million tokens: input, output, input
 * read from the cache, and input written to the cache. Example: `openai:gpt-5=1.25/10/0.125,
 * anthropic:claude-sonnet-4-5=3/15/0.3/3.75`.
 * @throws AgentError `agent-invalid` for an entry that is none, and for a model with two prices.
 */
export function pricesFromEnv(env: EnvRecord): ReadonlyMap<string, ModelPrice> {
  const prices = new Map<string, ModelPrice>();
  for (const [id, price] of listOf(env, 'VITRINE_PRICES').map(read)) {
    if (prices.has(id))
      throw wrongSetting(`VITRINE_PRICES has two prices of ${JSON.stringify(id)}. Remove the wrong one.`);
    prices.set(id, price);
  }
  return prices;
}

function read(entry: string): [id: string, price: ModelPrice] {
  const [, id, prices = ''] = /^(.+)=([\d./\s]+)$/.exec(entry) ?? [];
  const amounts = prices.split('/').map((amount) => Number(amount.trim() || NaN));
  const [input, output, cacheRead, cacheWrite] = amounts;
  if (
    id === undefined ||
    input === undefined ||
    output === undefined ||
    amounts.length > 4 ||
    !amounts.every(Number.isFinite)
  )
    throw wrongSetting(
      `VITRINE_PRICES: ${JSON.stringify(entry)} is not "provider:model=input/output/cache read/cache write" in dollars for a million tokens (the last two may be left out), like "openai:gpt-5=1.25/10". Correct or remove it.`,
    );
  return [
    id.trim(),
    {
      input,
      output,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
    },
  ];
}
