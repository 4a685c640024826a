import { type EnvRecord, valueOf, wrongSetting } from './kit/env-record.ts';
import { optionsFromEnv } from './guard/options-from-env.ts';
import type { SettledOptions } from './inference-proxy.ts';
import { modelsFromEnv, type ModelsFromEnvOptions } from './providers/models-from-env.ts';

/** Variables that need packages and files of Node. */
const ofNode = ['VITRINE_JWKS_URL', 'VITRINE_STREAM_LOG', 'VITRINE_SESSIONS'];

/** The options from the environment. @throws AgentError `agent-invalid` for what `serveFromEnv` alone can do */
export function proxyOptionsFromEnv(): SettledOptions {
  const { process } = globalThis as { readonly process?: { readonly env?: EnvRecord } };
  const env = process?.env ?? {};
  const variable = ofNode.find((name) => valueOf(env, name) !== undefined);
  if (variable !== undefined)
    throw wrongSetting(
      `${variable} is set, but createInferenceProxy() does not support it. Call serveFromEnv() of @vitrine/proxy/node, or give createInferenceProxy its options.`,
    );
  return modelsAndOptions(env);
}

export function modelsAndOptions(env: EnvRecord, how: ModelsFromEnvOptions = {}): SettledOptions {
  const options = optionsFromEnv(env);
  const models = modelsFromEnv(env, how);
  const open = models.find(({ list }) => list !== undefined);
  if (options.quotas?.costOf !== undefined && open !== undefined)
    throw wrongSetting(
      `VITRINE_QUOTA_COST is set, but the models of the server are not named: set VITRINE_MODELS, like ${open.id}, and VITRINE_PRICES for each.`,
    );
  const unpriced = models.find(({ price }) => price === undefined);
  if (options.quotas?.costOf !== undefined && unpriced !== undefined)
    throw wrongSetting(
      `VITRINE_QUOTA_COST is set, but VITRINE_PRICES has no price of ${unpriced.id}. Add it, or leave the model out of VITRINE_MODELS.`,
    );
  return { models, ...options };
}
