import type { InferenceClient, InferenceEvent } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import type { PromptCache } from '@vitrine/ai-sdk/internal/model/prompt-cache';
import { readableAnswers } from './answer-frames.ts';
import { checkedAnswers, upstreamFetch } from './upstream-fetch.ts';
import { offlineModel, type OfflineModelOptions } from './offline/offline-model.ts';
import { type EnvRecord, listOf, numbersFrom, valueOf, wrongSetting } from '../kit/env-record.ts';
import { streamLimits, streamLimitVariables } from '../stream/stream-limits.ts';
import type { Provider, ProviderSettings } from './provider.ts';
import { providers } from './providers.ts';
import { present } from '@vitrine/core/internal/kit/json';
import { urlOf } from '@vitrine/core/internal/kit/text';
import { nearestNames } from '../kit/text.ts';
import { pricesFromEnv } from './prices-from-env.ts';
import { askForModels, keptList, type ModelList } from './model-list.ts';
import { estimatedPrice, resolvedId } from './estimated-price.ts';
import { listedPrice } from './model-prices.ts';
import { checkFallbacks, type ProxyModel, type ReasoningLevel } from './proxy-model.ts';
import { causeOf } from '../kit/cause-of.ts';

/** Options of {@link modelsFromEnv}. */
export type ModelsFromEnvOptions = {
  /** Sends the requests. Default: {@link upstreamFetch}. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Serves the demo model in production too when no key is set; an object has its options. Default: `false`, which refuses.
   */
  readonly offline?: boolean | OfflineModelOptions;
};

type Connected = {
  readonly provider: Provider;
  /** The part before the colon in ids of its models. */
  readonly prefix: string;
  /** Asks a server for its own models; null for a provider with known ones. */
  readonly ask: (() => Promise<ModelList>) | null;
  readonly client: (name: string) => InferenceClient;
  /** The default reasoning level when a page chooses none; null leaves it to the model. */
  readonly reasoning: ReasoningLevel | null;
};

const levels: readonly ReasoningLevel[] = ['off', 'low', 'medium', 'high'];

/**
 * The models of the environment variables (see `.env.example`); the first is the default. Without any key and without
 * named models it is only the offline demo model, which a warning says; in production (`NODE_ENV`) that is an error.
 * @throws AgentError `agent-invalid` in production without any key, with the variables that were looked for, when `VITRINE_MODELS` names a provider that is not configured, or `VITRINE_REASONING`
 * is no level, or `VITRINE_PRICES` holds what is no price.
 */
export function modelsFromEnv(
  env: EnvRecord,
  { fetch = upstreamFetch, offline: demo = false }: ModelsFromEnvOptions = {},
): ProxyModel[] {
  const connected = providers.flatMap((provider) => connect(provider, env, fetch));
  const wanted = wantedIds(env);
  const offline = offlineModel({ paceMs: paceOf(env), ...(typeof demo === 'object' && demo) });
  // An environment that names other models lacks their key. The offline model must not replace them.
  if (connected.length === 0 && wanted.every((id) => id === offline.id)) {
    if (wanted.length === 0 && demo === false) announceOffline(env);
    return [offline];
  }
  const models =
    wanted.length > 0
      ? wanted.map((id) => wantedModel(id, connected))
      : connected.flatMap((one) => one.provider.defaults.map((name) => toModel(one, name)));
  const prices = pricesFromEnv(env);
  const open = wanted.length > 0 ? [] : connected.filter(({ ask }) => ask !== null);
  checkPriced(
    [...prices.keys()].filter((id) => !open.some(({ prefix }) => id.startsWith(`${prefix}:`))),
    models,
  );
  const chains = fallbacksFrom(env, models);
  const withListPrice = (model: ProxyModel): ProxyModel => {
    const price = prices.get(model.id) ?? listPriceOf(model, connected, env);
    const fallback = chains.get(model.id);
    return { ...model, ...(price && { price }), ...(fallback && { fallback }) };
  };
  return models.map((model) => {
    const one = open.find(({ provider }) => provider.id === model.provider);
    return one?.ask
      ? { ...withListPrice(model), list: listOfServer(one, one.ask, model, withListPrice) }
      : withListPrice(model);
  });
}

/**
 * The fallbacks of `VITRINE_FALLBACK` by the models that they are for, as `a:b>c:d>e:f, g:h>c:d`. @throws AgentError
 * `agent-invalid` for a chain that is none, or of a model that is not served or has another one
 */
function fallbacksFrom(
  env: EnvRecord,
  models: readonly ProxyModel[],
): ReadonlyMap<string, readonly string[]> {
  const chains = new Map<string, readonly string[]>();
  for (const text of listOf(env, 'VITRINE_FALLBACK')) {
    const [first = '', ...fallback] = text.split('>').map((id) => resolvedId(id.trim()));
    if (first === '' || fallback.length === 0 || fallback.includes(''))
      throw wrongSetting(
        `VITRINE_FALLBACK: ${JSON.stringify(text)} is no chain of models. Give ids in their order, like "anthropic:claude-sonnet-5-5>openai:gpt-6.1-sol".`,
      );
    if (chains.has(first))
      throw wrongSetting(`VITRINE_FALLBACK has two chains of ${JSON.stringify(first)}. Remove one.`);
    chains.set(first, fallback);
  }
  const unserved = [...chains.keys()].find((id) => !models.some((model) => model.id === id));
  if (unserved !== undefined)
    throw wrongSetting(
      `VITRINE_FALLBACK has a chain of ${JSON.stringify(unserved)}, which is not served. Served are: ${models.map(({ id }) => id).join(', ')}. Correct the name, or remove the chain.`,
    );
  checkFallbacks(models.map((model) => ({ ...model, fallback: chains.get(model.id) ?? [] })));
  return chains;
}

/** The price of {@link modelPrices}, or an estimate by its family; another address than the provider's own may ask another price. */
function listPriceOf(
  { id, provider }: ProxyModel,
  connected: readonly Connected[],
  env: EnvRecord,
): ProxyModel['price'] {
  const { baseURL } = connected.find((one) => one.provider.id === provider)?.provider.variables ?? {};
  return valueOf(env, baseURL) === undefined ? (listedPrice(id) ?? estimatedPrice(id)) : undefined;
}

const noChat = /embed|rerank/i;
/** The most models of a server that are served. */
const maxListed = 1000;

/** The models that a server lists, asked for at the first need. A failure is reported once. */
function listOfServer(
  one: Connected,
  ask: () => Promise<ModelList>,
  { id }: ProxyModel,
  withListPrice: (model: ProxyModel) => ProxyModel,
): NonNullable<ProxyModel['list']> {
  let isReported = false;
  const report = (why: string): null => {
    const { baseURL = '' } = one.provider.variables;
    if (!isReported)
      // oxlint-disable-next-line no-console -- for the operator, at the first need
      console.warn(
        `The server of ${baseURL} ${why}, so only ${id} is offered. Check that it runs at this address, or name its models: VITRINE_MODELS=${id},….`,
      );
    isReported = true;
    return null;
  };
  const list = keptList(async () => {
    try {
      const { status, names } = await ask();
      const chats = names.filter((name) => name.length <= 200 && !noChat.test(name)).slice(0, maxListed);
      if (chats.length === 0)
        return report(status === 200 ? 'lists no models' : `does not list its models (status ${status})`);
      isReported = false;
      return chats.map((name) => withListPrice(toModel(one, name)));
    } catch {
      return report('cannot be asked for its models');
    }
  });
  return async () => (await list()) ?? [];
}

/** @throws AgentError `agent-invalid` for a price of a model that is not served: it would count nothing. */
function checkPriced(priced: readonly string[], models: readonly ProxyModel[]): void {
  const served = models.map(({ id }) => id);
  const id = priced.find((one) => !served.includes(one));
  if (id === undefined) return;
  const nearest = nearestNames(id, served);
  const instead = nearest.length === 0 ? served.join(', ') : nearest.join(', ');
  throw wrongSetting(
    `VITRINE_PRICES has a price of ${JSON.stringify(id)}, which is not served. Served are: ${instead}. Correct the name, or remove the price.`,
  );
}

/** Connects a provider; null when the environment lacks its required setting. An empty variable counts as not set. */
function connect(provider: Provider, env: EnvRecord, fetch: typeof globalThis.fetch): Connected[] {
  const set = Object.entries(provider.variables)
    .map(([name, variable]) => [name, valueOf(env, variable)] as const)
    .filter(([, value]) => value !== undefined);
  const settings: ProviderSettings = Object.fromEntries(set);
  if (!settings[provider.requires]) return [];
  const { apiKey, baseURL } = settings;
  if (baseURL !== undefined && !/^https?:$/.test(urlOf(baseURL)?.protocol ?? ''))
    throw wrongSetting(
      `${provider.variables.baseURL ?? ''} is ${JSON.stringify(baseURL)}; give an address that begins with https:// or http://.`,
    );
  if (apiKey !== undefined) checkKey(apiKey, provider.variables.apiKey ?? '');
  const { frameBytes } = streamLimits(numbersFrom(env, streamLimitVariables));
  const answers = readableAnswers(checkedAnswers(fetch, frameBytes), provider.frames(settings));
  const model = provider.connect({ ...settings, fetch: answers });
  const accepts = provider.accepts?.(settings);
  const cache = cacheFrom(env);
  const client = (name: string): InferenceClient => {
    const plain = fromLanguageModel(model(name), { ...(accepts && { accepts }), cache });
    return apiKey === undefined ? plain : hideKey(plain, apiKey);
  };
  const prefix = prefixOf(provider, settings.name, env);
  const ask = provider.listsModels === true ? () => askForModels(provider, env, fetch) : null;
  return [{ provider, prefix, ask, client, reasoning: reasoningFrom(env) }];
}

/** Refuses a key with a character that no header holds. @throws AgentError `agent-invalid` with its place */
function checkKey(key: string, variable: string): void {
  const at = key.search(/[^\x20-\x7E]/);
  if (at < 0) return;
  const code = key.codePointAt(at) ?? 0;
  const sign = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  throw wrongSetting(
    `The key in ${variable} cannot be sent: its character ${at + 1} is ${sign}, which no header can hold. Copy the whole key from the provider again.`,
  );
}

/**
 * The prefix of a provider's models: its name in the environment, or its own. @throws AgentError for one that is taken
 */
function prefixOf({ id, variables }: Provider, name: string | undefined, env: EnvRecord): string {
  const same = providers.find((other) => other.id === name && other.id !== id);
  if (same === undefined || valueOf(env, same.variables[same.requires]) === undefined) return name ?? id;
  throw wrongSetting(
    `${variables.name ?? ''} is ${JSON.stringify(name)}, which another provider has that is configured too. Give another name, like "ollama".`,
  );
}

function wantedModel(id: string, connected: readonly Connected[]): ProxyModel {
  const begins = (prefix: string): boolean => id.startsWith(`${prefix}:`) && id.length > prefix.length + 1;
  const one = connected.find(({ prefix }) => begins(prefix));
  if (one) return toModel(one, id.slice(one.prefix.length + 1));
  // A server that has a name keeps the id of its provider as well.
  const own = connected.find(({ provider }) => begins(provider.id));
  if (own) return { ...toModel(own, id.slice(own.provider.id.length + 1)), id };
  const known = connected.map(({ prefix }) => prefix).join(', ') || 'none is';
  throw wrongSetting(
    `VITRINE_MODELS: ${JSON.stringify(id)} is not "provider:model" of a configured provider (${known}). Set that provider's key, or remove the model.`,
  );
}

function reasoningFrom(env: EnvRecord): ReasoningLevel | null {
  const wanted = valueOf(env, 'VITRINE_REASONING') ?? null;
  const level = levels.find((one) => one === wanted);
  if (wanted === null || level !== undefined) return level ?? null;
  throw wrongSetting(
    `VITRINE_REASONING is ${JSON.stringify(wanted)}; give one of ${levels.join(', ')}, or nothing to leave it to the models.`,
  );
}

/** @throws AgentError `agent-invalid` for another value of VITRINE_CACHE */
function cacheFrom(env: EnvRecord): PromptCache {
  const wanted = valueOf(env, 'VITRINE_CACHE') ?? 'auto';
  if (wanted === 'auto' || wanted === 'off') return wanted;
  if (wanted === '5m' || wanted === '1h') return { ttl: wanted };
  throw wrongSetting(
    `VITRINE_CACHE is ${JSON.stringify(wanted)}; give off, 5m or 1h, or nothing for auto, which is five minutes.`,
  );
}

function toModel({ provider, prefix, client, reasoning }: Connected, name: string): ProxyModel {
  const thinks = provider.thinkers?.test(name) === true;
  return {
    id: `${prefix}:${name}`,
    name,
    provider: provider.id,
    client: client(name),
    ...(thinks ? { reasoning: levels } : {}),
    ...(thinks && reasoning !== null ? { settings: { reasoning } } : {}),
    ...present({ thinkingTokens: provider.thinkingTokens?.(name), metadataFields: provider.metadataFields }),
  };
}

/** The model ids of `VITRINE_MODELS`, each once. @throws AgentError `agent-invalid` for a list without any. */
function wantedIds(env: EnvRecord): readonly string[] {
  const text = valueOf(env, 'VITRINE_MODELS');
  const wanted = [...new Set(listOf(env, 'VITRINE_MODELS').map(resolvedId))];
  if (text === undefined || wanted.length > 0) return wanted;
  throw wrongSetting(
    `VITRINE_MODELS is ${JSON.stringify(text)}, which names no model. Give ids like "openai:gpt-5", or nothing for the defaults.`,
  );
}

function paceOf(env: EnvRecord): number | undefined {
  const text = valueOf(env, 'VITRINE_DEMO_PACE_MS');
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? undefined : Number(text);
  throw wrongSetting(
    `VITRINE_DEMO_PACE_MS is ${JSON.stringify(text)}; give milliseconds as a whole number from 0 on.`,
  );
}

/** Shorter keys are placeholders such as `ollama`, which are words of sentences too. */
const shortestKey = 8;

/** Wraps a client so that its errors do not reveal the key in any form, because some providers repeat a wrong key. */
function hideKey(client: InferenceClient, key: string): InferenceClient {
  const hide = (text: string): string => text.replaceAll(key, '•••');
  const withoutKey = (result: IteratorResult<InferenceEvent>): IteratorResult<InferenceEvent> =>
    result.value?.type === 'error' && key.length >= shortestKey
      ? { ...result, value: { ...result.value, message: hide(result.value.message) } }
      : result;
  return {
    ...client,
    stream(request, call) {
      const onError = (error: unknown): void => call.onError?.(new Error(causeOf(error, hide)));
      const events = client.stream(request, { ...call, onError })[Symbol.asyncIterator]();
      // By hand, because a generator around each event takes longer than the event.
      const next = (): Promise<IteratorResult<InferenceEvent>> => events.next().then(withoutKey);
      return { [Symbol.asyncIterator]: () => ({ ...events, next }) };
    },
  };
}

const ways =
  'Set one of them, or choose the offline demo model by VITRINE_MODELS=demo:offline or offlineModel() of @vitrine/proxy/offline.';

/** True in production: by the given variables, or else by those of the process. */
function isProduction(env: EnvRecord): boolean {
  const { process } = globalThis as { readonly process?: { readonly env?: EnvRecord } };
  return (valueOf(env, 'NODE_ENV') ?? process?.env?.['NODE_ENV']) === 'production';
}

/** The variables that configure a provider, one of which is missing, and sentences on set variables that look like them. */
export function missingKey(env: EnvRecord): { readonly wanted: string; readonly found: string } {
  const wanted = providers.flatMap(({ variables, requires }) => variables[requires] ?? []);
  // Values are not shown.
  const found = [...blanks(env, wanted), ...nearMisses(env, wanted)];
  return { wanted: wanted.join(', '), found: found.map((sentence) => ` ${sentence}`).join('') };
}

/** Says that the demo model answers. @throws AgentError `agent-invalid` in production, where customers would read it */
function announceOffline(env: EnvRecord): void {
  const { wanted, found } = missingKey(env);
  const missing = `No key of a model provider is set. Looked for ${wanted}.${found}`;
  if (isProduction(env))
    throw wrongSetting(
      `${missing} NODE_ENV is production, where the offline demo model must not answer unasked. ${ways}`,
    );
  // oxlint-disable-next-line no-console -- for the operator, before there is a log
  console.warn(`${missing} The offline demo model answers.`);
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
