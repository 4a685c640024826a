import { AgentError, type ModelPrice } from '@vitrine/core';
import type { EnvRecord } from '../env-record.ts';

/**
 * What tokens of models cost, by `provider:model`, out of `VITRINE_PRICES`: dollars for a million tokens of input and of
 * output, and of input that the provider reads from its cache, as in `openai:gpt-5=1.25/10/0.125, google:gemini=0.3/2.5`.
 * @throws AgentError `agent-invalid` for an entry that is none.
 */
export function pricesFromEnv(env: EnvRecord): ReadonlyMap<string, ModelPrice> {
  const entries = (env['VITRINE_PRICES'] ?? '').split(',').map((entry) => entry.trim());
  return new Map(entries.filter((entry) => entry !== '').map(read));
}

function read(entry: string): [id: string, price: ModelPrice] {
  const [, id, prices = ''] = /^(.+)=([\d./\s]+)$/.exec(entry) ?? [];
  const [input, output, cacheRead, ...more] = prices.split('/').map((amount) => Number(amount.trim() || NaN));
  const amounts = [input, output, ...(cacheRead === undefined ? [] : [cacheRead])];
  if (
    id === undefined ||
    input === undefined ||
    output === undefined ||
    more.length > 0 ||
    !amounts.every(Number.isFinite)
  )
    throw new AgentError(
      'agent-invalid',
      `VITRINE_PRICES: ${JSON.stringify(entry)} is not "provider:model=input/output" in dollars for a million tokens, like "openai:gpt-5=1.25/10". Mend it, or leave it out.`,
    );
  return [id.trim(), { input, output, ...(cacheRead === undefined ? {} : { cacheRead }) }];
}
