import { AgentError, type InferenceClient } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/core/ai-sdk';
import { hideKey } from './hide-key.ts';
import { upstreamFetch } from './upstream-fetch.ts';
import { offlineModel } from './offline/offline-model.ts';
import { type EnvRecord, valueOf } from '../env-record.ts';
import { streamLimits, streamLimitsFromEnv } from '../stream/stream-limits.ts';
import type { Provider, ProviderSettings } from './provider.ts';
import { providers } from './providers.ts';
import { pricesFromEnv } from './prices-from-env.ts';
import { withShortcut } from './shortcut/with-shortcut.ts';
import type { ProxyModel, ReasoningLevel } from './proxy-model.ts';

/** How the models of {@link modelsFromEnv} are reached. */
export type ModelsFromEnvOptions = {
  /** Sends the requests. Default: {@link upstreamFetch}; on Node there is `nodeUpstreamFetch` of `@vitrine/proxy/node`. */
  readonly fetch?: typeof globalThis.fetch;
};

type Connected = {
  readonly provider: Provider;
  readonly client: (name: string) => InferenceClient;
  /** How much its models think when a page does not say it; null leaves it to them. */
  readonly reasoning: ReasoningLevel | null;
};

const levels: readonly ReasoningLevel[] = ['off', 'low', 'medium', 'high'];

/**
 * The models that environment variables call for (see `.env.example`); the first is the default.
 * Without any key, and without models that are named, it is the offline demo model alone.
 * @throws AgentError `agent-invalid` when `VITRINE_MODELS` names a provider that is not configured, or `VITRINE_REASONING`
 * is no level, or `VITRINE_PRICES` holds what is no price.
 */
export function modelsFromEnv(
  env: EnvRecord,
  { fetch = upstreamFetch }: ModelsFromEnvOptions = {},
): ProxyModel[] {
  const connected = providers.flatMap((provider) => connect(provider, env, fetch));
  const wanted = [...new Set(list(env['VITRINE_MODELS']))];
  const offline = offlineModel({ paceMs: numberOf(env['VITRINE_DEMO_PACE_MS']) });
  // Whoever names another model has forgotten its key, and must not serve this one in its place.
  if (connected.length === 0 && wanted.every((id) => id === offline.id)) return [offline];
  const prices = pricesFromEnv(env);
  const models =
    wanted.length > 0
      ? wanted.map((id) => wantedModel(id, connected))
      : connected.flatMap((one) => one.provider.defaults.map((name) => toModel(one, name)));
  return models.map((model) => {
    const price = prices.get(model.id);
    return price === undefined ? model : { ...model, price };
  });
}

/** None when the environment lacks what the provider requires. A variable that is empty is not set. */
function connect(provider: Provider, env: EnvRecord, fetch: typeof globalThis.fetch): Connected[] {
  const set = Object.entries(provider.variables)
    .map(([name, variable]) => [name, valueOf(env, variable)] as const)
    .filter(([, value]) => value !== undefined);
  const settings: ProviderSettings = Object.fromEntries(set);
  if (!settings[provider.requires]) return [];
  const { frameBytes } = streamLimits(streamLimitsFromEnv(env));
  const model = withShortcut({
    fetch,
    frameBytes,
    connect: (access) => provider.connect({ ...settings, ...access }),
  });
  const { apiKey } = settings;
  const client = (name: string): InferenceClient => {
    const plain = fromLanguageModel(model(name));
    return apiKey === undefined ? plain : hideKey(plain, apiKey);
  };
  return [{ provider, client, reasoning: reasoningFrom(env) }];
}

function wantedModel(id: string, connected: readonly Connected[]): ProxyModel {
  const at = id.indexOf(':');
  const one = connected.find(({ provider }) => provider.id === id.slice(0, at));
  if (one && at < id.length - 1) return toModel(one, id.slice(at + 1));
  const known = connected.map(({ provider }) => provider.id).join(', ') || 'none is';
  throw new AgentError(
    'agent-invalid',
    `VITRINE_MODELS: ${JSON.stringify(id)} is not "provider:model" of a configured provider (${known}). Set that provider's key, or remove the model.`,
  );
}

function reasoningFrom(env: EnvRecord): ReasoningLevel | null {
  const wanted = valueOf(env, 'VITRINE_REASONING') ?? null;
  const level = levels.find((one) => one === wanted);
  if (wanted === null || level !== undefined) return level ?? null;
  throw new AgentError(
    'agent-invalid',
    `VITRINE_REASONING is ${JSON.stringify(wanted)}; give one of ${levels.join(', ')}, or nothing to leave it to the models.`,
  );
}

function toModel({ provider, client, reasoning }: Connected, name: string): ProxyModel {
  const thinks = provider.thinkers?.test(name) === true;
  return {
    id: `${provider.id}:${name}`,
    name,
    provider: provider.id,
    client: client(name),
    ...(thinks ? { reasoning: levels } : {}),
    ...(thinks && reasoning !== null ? { settings: { reasoning } } : {}),
  };
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return text && Number.isFinite(value) ? value : undefined;
}
