import type { Usage } from '@vitrine/core';
import { type EnvRecord, listOf, numbersFrom, valueOf, wrongSetting } from '../kit/env-record.ts';
import { streamLimits, streamLimitVariables } from '../stream/stream-limits.ts';
import type { GuardOptions } from './guard.ts';
import { isHost } from './hosts.ts';
import { limitVariables, withLimits } from './limits.ts';
import { checkOrigins } from './origin.ts';
import { nearestNames } from '../kit/text.ts';
import { pricesFromEnv } from '../providers/prices-from-env.ts';
import type { Limiter, Quota } from './limiter.ts';
import type { QuotaOptions } from './quotas.ts';

/** Limits of streams that may be 0, which turns the feature off. */
const mayBeNothing = ['VITRINE_RESUME_GRACE_MS', 'VITRINE_FINISHED_BYTES', 'VITRINE_FINISHED_MS'];

/**
 * The options that the environment names: `ALLOWED_HOSTS`, `ALLOWED_ORIGINS` and `ALLOWED_FILE_HOSTS`, comma-separated,
 * the variables of {@link RequestLimits} and {@link StreamLimits}, and `VITRINE_QUOTA_REQUESTS`,
 * `VITRINE_QUOTA_TOKENS`, `VITRINE_QUOTA_COST` and `VITRINE_QUOTA_CONCURRENT`. Variables that are not set keep their
 * defaults.
 * @throws AgentError `agent-invalid` for a `VITRINE_…` that does not exist, with the nearest name, and for values that
 * mean nothing, with what to give instead.
 */
export function optionsFromEnv(
  env: EnvRecord,
): Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins' | 'allowedFileHosts' | 'limits' | 'quotas'> {
  checkVariables(env);
  const hosts = hostList(env, 'ALLOWED_HOSTS');
  const fileHosts = hostList(env, 'ALLOWED_FILE_HOSTS');
  const quotas = quotasFromEnv(env);
  return {
    ...(hosts.length === 0 ? {} : { allowedHosts: hosts }),
    ...(fileHosts.length === 0 ? {} : { allowedFileHosts: fileHosts }),
    ...(Object.keys(quotas).length === 0 ? {} : { quotas }),
    allowedOrigins: originList(env),
    limits: checkedLimits(env),
  };
}

function checkedLimits(env: EnvRecord): NonNullable<GuardOptions['limits']> {
  const limits = numbersFrom(env, { ...limitVariables, ...streamLimitVariables });
  withLimits(limits);
  streamLimits(limits);
  for (const variable of Object.values(streamLimitVariables)) {
    const text = valueOf(env, variable);
    if (text === undefined || Number(text) > 0 || mayBeNothing.includes(variable)) continue;
    throw wrongSetting(`${variable} is ${JSON.stringify(text)}; give a number above 0, or leave it out.`);
  }
  return limits;
}

function hostList(env: EnvRecord, variable: string): string[] {
  const hosts = listOf(env, variable);
  for (const host of hosts) {
    if (isHost(host)) continue;
    const instead = URL.canParse(host) ? new URL(host).host : '';
    throw wrongSetting(
      `${variable} holds ${JSON.stringify(host)}, which is no host. Give ${instead === '' ? 'names like "chat.example" or "chat.example:8443"' : JSON.stringify(instead)}, without scheme, path or "*".`,
    );
  }
  return hosts;
}

function originList(env: EnvRecord): string[] {
  const origins = listOf(env, 'ALLOWED_ORIGINS');
  try {
    checkOrigins(origins);
    return origins;
  } catch (error) {
    throw wrongSetting(`ALLOWED_ORIGINS: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Variables of this server that set no limit. */
const others = [
  'VITRINE_MODELS',
  'VITRINE_FALLBACK',
  'VITRINE_REASONING',
  'VITRINE_CACHE',
  'VITRINE_PRICES',
  'VITRINE_QUOTA_REQUESTS',
  'VITRINE_QUOTA_TOKENS',
  'VITRINE_QUOTA_COST',
  'VITRINE_QUOTA_CONCURRENT',
  'VITRINE_JWKS_URL',
  'VITRINE_JWT_ISSUER',
  'VITRINE_JWT_AUDIENCE',
  'VITRINE_STREAM_LOG',
  'VITRINE_SESSIONS',
  'VITRINE_SHUTDOWN_GRACE_MS',
  'VITRINE_DEMO_PACE_MS',
  'VITRINE_DEMO_DATA',
  'VITRINE_DEMO_PAGE',
  // Used by the tests and scripts of this repository.
  'VITRINE_DIST',
  'VITRINE_PROXY_URL',
  'VITRINE_PROXY_AUTHORIZATION',
];

/** @throws AgentError `agent-invalid` for an unknown `VITRINE_` variable, with the nearest name: it would not apply */
export function checkVariables(env: EnvRecord): void {
  const known = [...Object.values(limitVariables), ...Object.values(streamLimitVariables), ...others];
  for (const name of Object.keys(env)) {
    if (!name.startsWith('VITRINE_') || known.includes(name)) continue;
    const [nearest] = nearestNames(name, known, 1);
    const instead = nearest === undefined ? 'Remove it' : `Did you mean ${nearest}? Rename it, or remove it`;
    throw wrongSetting(
      `The environment sets ${name}=${JSON.stringify(env[name] ?? '')}, which is unknown. ${instead}; .env.example lists every variable.`,
    );
  }
}

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
    throw wrongSetting('VITRINE_QUOTA_TOKENS and VITRINE_QUOTA_COST are both set; give one of them.');
  if (cost && pricesFromEnv(env).size === 0)
    throw wrongSetting(
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
  throw wrongSetting(`VITRINE_PRICES has no price of ${model}, so VITRINE_QUOTA_COST cannot count it.`);
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
  throw wrongSetting(
    `${variable} is ${JSON.stringify(text)}; give ${isWhole ? 'an amount' : 'a whole number'} above 0 and its window, like "60/minute", "200000/day" or "10/90" (seconds).`,
  );
}

function concurrentOf(env: EnvRecord): number | null {
  const text = valueOf(env, 'VITRINE_QUOTA_CONCURRENT');
  if (text === undefined) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw wrongSetting(`VITRINE_QUOTA_CONCURRENT is ${JSON.stringify(text)}; give a whole number above 0.`);
}
