import { AgentError } from '@vitrine/core';
import { type EnvRecord, valueOf } from '../kit/env-record.ts';
import { streamLimits, streamLimitsFromEnv, streamLimitVariables } from '../stream/stream-limits.ts';
import { checkVariables } from './check-variables.ts';
import type { GuardOptions } from './guard-options.ts';
import { isHost } from './hosts.ts';
import { limitsFromEnv, withLimits } from './limits.ts';
import { checkOrigins } from './origin.ts';
import { quotasFromEnv } from './quotas/quotas-from-env.ts';

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
  const limits = { ...limitsFromEnv(env), ...streamLimitsFromEnv(env) };
  withLimits(limits);
  streamLimits(limits);
  for (const variable of Object.values(streamLimitVariables)) {
    const text = valueOf(env, variable);
    if (text === undefined || Number(text) > 0 || mayBeNothing.includes(variable)) continue;
    throw wrong(`${variable} is ${JSON.stringify(text)}; give a number above 0, or leave it out.`);
  }
  return limits;
}

function hostList(env: EnvRecord, variable: string): string[] {
  const hosts = listFrom(env[variable]);
  for (const host of hosts) {
    if (isHost(host)) continue;
    const instead = URL.canParse(host) ? new URL(host).host : '';
    throw wrong(
      `${variable} holds ${JSON.stringify(host)}, which is no host. Give ${instead === '' ? 'names like "chat.example" or "chat.example:8443"' : JSON.stringify(instead)}, without scheme, path or "*".`,
    );
  }
  return hosts;
}

function originList(env: EnvRecord): string[] {
  const origins = listFrom(env['ALLOWED_ORIGINS']);
  try {
    checkOrigins(origins);
    return origins;
  } catch (error) {
    throw wrong(`ALLOWED_ORIGINS: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listFrom(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function wrong(message: string): AgentError {
  return new AgentError('agent-invalid', message);
}
