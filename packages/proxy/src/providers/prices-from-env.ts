import type { ModelPrice } from '@vitrine/core';
import { present } from '@vitrine/core/internal/kit/json';
import { type EnvRecord, wrongSetting, listOf } from '../kit/env-record.ts';

/**
 * Prices of models by `provider:model` from `VITRINE_PRICES`, in dollars for a million tokens: input, output, input
 * read from the cache, input written to the cache, and input written there for an hour. Higher prices of requests with
 * more tokens of input follow. Example: `openai:gpt-5=1.25/10/0.125,
 * anthropic:claude-haiku-5-5=0.1/0.5/0.01/0.125/0.2>100000:0.5/2.5/0.05/0.625/1`.
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
  const found = readPrice(entry);
  if (found !== null) return found;
  throw wrongSetting(
    `VITRINE_PRICES: ${JSON.stringify(entry)} is not "provider:model=input/output/cache read/cache write/cache write for an hour" in dollars for a million tokens (the last three may be left out), like "openai:gpt-5=1.25/10". Higher prices of long requests follow as ">tokens:input/output/…". Correct or remove it.`,
  );
}

/** The price of a model in the form of `VITRINE_PRICES`; null for any other text. */
export function readPrice(entry: string): [id: string, price: ModelPrice] | null {
  const [, id = '', base = '', tokens, above] =
    /^(.+)=([\d./\s]+)(?:>\s*(\d+)\s*:([\d./\s]+))?$/.exec(entry) ?? [];
  const row = rowOf(base);
  const higher = above === undefined ? undefined : rowOf(above);
  if (row === null || higher === null) return null;
  return [id.trim(), { ...row, ...(higher && { above: { tokens: Number(tokens), ...higher } }) }];
}

/** The amounts of a row; null for an invalid one. */
function rowOf(text: string): ModelPrice | null {
  const amounts = text.split('/').map((amount) => Number(amount.trim() || NaN));
  const [input, output, cacheRead, cacheWrite, cacheWriteHour] = amounts;
  if (input === undefined || output === undefined || amounts.length > 5 || !amounts.every(Number.isFinite))
    return null;
  return { input, output, ...present({ cacheRead, cacheWrite, cacheWriteHour }) };
}
