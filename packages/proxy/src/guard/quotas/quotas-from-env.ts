import { AgentError, type Usage } from '@vitrine/core';
import { type EnvRecord, valueOf } from '../../kit/env-record.ts';
import { pricesFromEnv } from '../../providers/prices-from-env.ts';
import type { Limiter, Quota } from './limiter.ts';
import type { QuotaOptions } from './quotas.ts';

/** Creates a limiter of so many points in so many seconds, under its own name. */
export type MakeLimiter = (name: string, points: number, seconds: number) => Quota | Limiter;

/** Points of a dollar; limiters count whole points. */
const pointsOfDollar = 1_000_000;

/** Seconds of the words for windows. */
const windows: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };

/**
 * The quotas that the environment names, for each principal: `VITRINE_QUOTA_REQUESTS=60/minute`,
 * `VITRINE_QUOTA_TOKENS=200000/day` or `VITRINE_QUOTA_COST=2.50/day` in the currency of `VITRINE_PRICES`, and
 * `VITRINE_QUOTA_CONCURRENT=4` concurrent answers. A window is `minute`, `hour`, `day` or a number of seconds.
 * @throws AgentError `agent-invalid` for what is no quota, for both tokens and cost, and for a cost without prices.
 */
export function quotasFromEnv(
  env: EnvRecord,
  limiter: MakeLimiter = (_name, points, seconds) => ({ points, seconds }),
): QuotaOptions {
  const requests = quotaOf(env, 'VITRINE_QUOTA_REQUESTS');
  const tokens = quotaOf(env, 'VITRINE_QUOTA_TOKENS');
  const cost = quotaOf(env, 'VITRINE_QUOTA_COST');
  if (tokens && cost)
    throw wrong('VITRINE_QUOTA_TOKENS and VITRINE_QUOTA_COST are both set; give one of them.');
  if (cost && pricesFromEnv(env).size === 0)
    throw wrong(
      `VITRINE_QUOTA_COST is ${JSON.stringify(env['VITRINE_QUOTA_COST'])}, but there are no prices to count by. Set VITRINE_PRICES for every model, or VITRINE_QUOTA_TOKENS instead.`,
    );
  const concurrent = concurrentOf(env);
  return {
    ...(requests && { requests: limiter('requests', requests.amount, requests.seconds) }),
    ...(tokens && { cost: limiter('tokens', tokens.amount, tokens.seconds) }),
    ...(cost && {
      cost: limiter('cost', Math.ceil(cost.amount * pointsOfDollar), cost.seconds),
      costOf: costInPoints,
    }),
    ...(concurrent !== null && { concurrent }),
  };
}

function costInPoints({ cost }: Usage, model: string): number {
  if (cost !== null) return Math.ceil(cost * pointsOfDollar);
  throw wrong(`VITRINE_PRICES has no price of ${model}, so VITRINE_QUOTA_COST cannot count it.`);
}

function quotaOf(
  env: EnvRecord,
  variable: string,
): { readonly amount: number; readonly seconds: number } | null {
  const text = valueOf(env, variable);
  if (text === undefined) return null;
  const [amount, window = '', ...more] = text.split('/').map((part) => part.trim());
  const number = /^\d+(?:\.\d+)?$/.test(amount ?? '') ? Number(amount) : Number.NaN;
  const seconds = Object.hasOwn(windows, window)
    ? windows[window]
    : /^\d+$/.test(window)
      ? Number(window)
      : 0;
  const isWhole = variable === 'VITRINE_QUOTA_COST' || Number.isInteger(number);
  if (number > 0 && isWhole && seconds !== undefined && seconds > 0 && more.length === 0)
    return { amount: number, seconds };
  throw wrong(
    `${variable} is ${JSON.stringify(text)}; give ${isWhole ? 'an amount' : 'a whole number'} above 0 and its window, like "60/minute", "200000/day" or "10/90" (seconds).`,
  );
}

function concurrentOf(env: EnvRecord): number | null {
  const text = valueOf(env, 'VITRINE_QUOTA_CONCURRENT');
  if (text === undefined) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw wrong(`VITRINE_QUOTA_CONCURRENT is ${JSON.stringify(text)}; give a whole number above 0.`);
}

function wrong(message: string): AgentError {
  return new AgentError('agent-invalid', message);
}
