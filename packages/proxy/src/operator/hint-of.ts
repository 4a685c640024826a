import { explainError } from '@vitrine/core';
import { providers } from '../providers/providers.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';

/** The provider setting that an error code points at. */
const settingOf: Readonly<Record<string, 'apiKey' | 'baseURL'>> = {
  'upstream-unauthorized': 'apiKey',
  'upstream-quota-exhausted': 'apiKey',
  'upstream-rate-limited': 'apiKey',
  'upstream-unreachable': 'baseURL',
};

/**
 * The remedy for an error code: a sentence for the operator with provider, model and environment variable, where they
 * are known.
 */
export function hintOf(code: string, model: Pick<ProxyModel, 'id' | 'provider'> | null): string {
  const variable = variableOf(code, model?.provider);
  const about = model === null ? {} : { provider: model.provider, model: model.id };
  return explainError({ code, data: { ...about, ...(variable === undefined ? {} : { variable }) } }).operator;
}

function variableOf(code: string, providerId: string | undefined): string | undefined {
  if (code === 'unknown-model' || code === 'upstream-unknown-model') return 'VITRINE_MODELS';
  const setting = Object.hasOwn(settingOf, code) ? settingOf[code] : undefined;
  const provider = providers.find(({ id }) => id === providerId);
  return setting === undefined ? undefined : provider?.variables[setting];
}
