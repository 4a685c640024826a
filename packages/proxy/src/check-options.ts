import { checkedPrice } from '@vitrine/core/internal/graph/llm-config';
import type { InferenceProxyOptions } from './inference-proxy.ts';
import { wrongSetting } from './kit/env-record.ts';
import { nearestNames } from './kit/text.ts';

const names: Readonly<Record<keyof InferenceProxyOptions, true>> = {
  models: true,
  defaultModel: true,
  authorize: true,
  allowedHosts: true,
  allowedOrigins: true,
  allowedFileHosts: true,
  resolveHost: true,
  limits: true,
  quotas: true,
  streamLog: true,
  log: true,
  metrics: true,
  onStreamEnd: true,
};

/** Checks for JavaScript what compilers check. @throws AgentError `agent-invalid` with the option that is wrong */
export function checkOptions(options: InferenceProxyOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(names, name) || value === undefined) continue;
    const [nearest] = nearestNames(name, Object.keys(names), 1);
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw wrongSetting(
      `createInferenceProxy: there is no option ${JSON.stringify(name)}.${meant} The options are ${Object.keys(names).join(', ')}.`,
    );
  }
  const { authorize, models } = options;
  if (authorize !== undefined && typeof authorize !== 'function')
    throw wrongSetting(
      `createInferenceProxy: authorize is ${showValue(authorize)}. Give a function that returns { id }, or null for nobody.`,
    );
  if (models !== undefined) checkModels(models);
}

function checkModels(models: unknown): void {
  if (!Array.isArray(models))
    throw wrongSetting(
      `createInferenceProxy: models is ${showValue(models)}. Give a list, like modelsFromEnv(process.env), or leave it out for the models of the environment.`,
    );
  for (const [index, model] of (models as readonly unknown[]).entries()) {
    const { id, client, price } = (typeof model === 'object' && model !== null ? model : {}) as {
      id?: unknown;
      client?: { stream?: unknown };
      price?: unknown;
    };
    if (price !== undefined && checkedPrice(price) === null)
      throw wrongSetting(
        `createInferenceProxy: models[${index}].price holds an amount that is missing, negative or no number. Give { input, output } in dollars for a million tokens, and also cacheRead, cacheWrite, cacheWriteHour and above: { tokens, input, output } where the provider has them; or leave the price out.`,
      );
    if (typeof id === 'string' && typeof client?.stream === 'function') continue;
    throw wrongSetting(
      `createInferenceProxy: models[${index}] is ${showValue(model)}, which is no model of a proxy. Give { id, name, provider, client }, where client is fromLanguageModel(model) for a model of the AI SDK; or name models in VITRINE_MODELS and give modelsFromEnv(process.env).`,
    );
  }
}

/** A value in at most 100 characters. Functions and objects are named by their kind, because they may hold keys. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return value === null || typeof value !== 'object' ? String(typeof value) : 'an object';
}
