import type { EnvRecord } from '../env-record.ts';
import { streamLimitsFromEnv } from '../stream/stream-limits.ts';
import type { GuardOptions } from './guard-options.ts';
import { hostsFromEnv } from './hosts.ts';
import { limitsFromEnv } from './limits.ts';

/**
 * The options that the environment names: `ALLOWED_HOSTS`, `ALLOWED_ORIGINS` and `ALLOWED_FILE_HOSTS`, comma-separated,
 * and the variables of {@link RequestLimits} and {@link StreamLimits}. What is not set is left to its default.
 */
export function optionsFromEnv(
  env: EnvRecord,
): Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins' | 'allowedFileHosts' | 'limits'> {
  const hosts = hostsFromEnv(env);
  const fileHosts = listFrom(env['ALLOWED_FILE_HOSTS']);
  return {
    ...(hosts.length === 0 ? {} : { allowedHosts: hosts }),
    ...(fileHosts.length === 0 ? {} : { allowedFileHosts: fileHosts }),
    allowedOrigins: listFrom(env['ALLOWED_ORIGINS']),
    limits: { ...limitsFromEnv(env), ...streamLimitsFromEnv(env) },
  };
}

function listFrom(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
