import { AgentError } from '@vitrine/core';
import type { EnvRecord } from '../kit/env-record.ts';
import { nearestNames } from '../kit/text.ts';
import { streamLimitVariables } from '../stream/stream-limits.ts';
import { limitVariables } from './limits.ts';

/** Variables of this server that set no limit. */
const others = [
  'VITRINE_MODELS',
  'VITRINE_REASONING',
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
  'VITRINE_DEMO_PAGE',
  // Used by the tests and scripts of this repository.
  'VITRINE_DIST',
  'VITRINE_PROXY_URL',
  'VITRINE_PROXY_AUTHORIZATION',
];

/**
 * Looks for unknown variables that begin with `VITRINE_`, because a misspelt limit would not apply.
 * @throws AgentError `agent-invalid` for the first of them, with the nearest name.
 */
export function checkVariables(env: EnvRecord): void {
  const known = [...Object.values(limitVariables), ...Object.values(streamLimitVariables), ...others];
  for (const name of Object.keys(env)) {
    if (!name.startsWith('VITRINE_') || known.includes(name)) continue;
    const [nearest] = nearestNames(name, known, 1);
    const instead = nearest === undefined ? 'Remove it' : `Did you mean ${nearest}? Rename it, or remove it`;
    throw new AgentError(
      'agent-invalid',
      `The environment sets ${name}=${JSON.stringify(env[name] ?? '')}, which is unknown. ${instead}; .env.example lists every variable.`,
    );
  }
}
