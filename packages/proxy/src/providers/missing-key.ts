import { AgentError } from '@vitrine/core';
import { type EnvRecord, valueOf } from '../kit/env-record.ts';
import { nearestNames } from '../kit/text.ts';
import { providers } from './providers.ts';

const ways =
  'Set one of them, or choose the offline demo model by VITRINE_MODELS=demo:offline or offlineModel() of @vitrine/proxy/offline.';

/** True in production: by the given variables, or else by those of the process. */
export function isProduction(env: EnvRecord): boolean {
  const { process } = globalThis as { readonly process?: { readonly env?: EnvRecord } };
  return (valueOf(env, 'NODE_ENV') ?? process?.env?.['NODE_ENV']) === 'production';
}

/** Says which variables would configure a provider, and which that are set look like them. Values are not shown. */
export function missingKey(env: EnvRecord): string {
  const wanted = providers.flatMap(({ variables, requires }) => variables[requires] ?? []);
  const found = [...blanks(env, wanted), ...nearMisses(env, wanted)];
  return [`No key of a model provider is set. Looked for ${wanted.join(', ')}.`, ...found].join(' ');
}

/** The error of a server in production that would serve the demo model to customers. */
export function onlyOffline(env: EnvRecord): AgentError {
  const message = `${missingKey(env)} NODE_ENV is production, where the offline demo model must not answer unasked. ${ways}`;
  return new AgentError('agent-invalid', message);
}

function blanks(env: EnvRecord, wanted: readonly string[]): readonly string[] {
  return wanted
    .filter((name) => env[name] !== undefined && valueOf(env, name) === undefined)
    .map((name) => `${name} is empty.`);
}

/** Variables that differ from a wanted one by a few letters, or are another key of the same provider. */
function nearMisses(env: EnvRecord, wanted: readonly string[]): readonly string[] {
  const known = providers.flatMap(({ variables }) => Object.values(variables));
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || valueOf(env, name) === undefined) return [];
    const upper = name.toUpperCase();
    const [first = ''] = upper.split('_');
    const sameProvider = /_(KEY|TOKEN)$/.test(upper)
      ? wanted.find((other) => other.startsWith(`${first}_`))
      : undefined;
    const [similar] = nearestNames(upper, wanted, 1, 1 / 3);
    const meant = similar ?? sameProvider;
    return meant === undefined ? [] : [`${name} is set: did you mean ${meant}?`];
  });
}
