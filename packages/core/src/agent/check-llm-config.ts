import { type LlmConfig, type ModelPrice, checkSettings } from '../graph/llm-config.ts';
import type { AgentError } from '../kit/agent-error.ts';
import * as errors from '../kit/definition-error.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../kit/json.ts';
import { toJson } from '../kit/to-json.ts';
import { checkedAmount } from './check-init.ts';

/** Model, settings and prices as `defineAgent` takes them; omitted fields are null or empty. */
export type LlmConfigInit = {
  /** Id of the model, `provider:model` behind a proxy. Null leaves the choice to the client. */
  model?: string | null;
  /** Provider settings such as temperature, topP and maxOutputTokens; never a key. */
  settings?: JsonObject;
  /** Prices by model id, in US dollars per million tokens, used when the proxy reports no cost. */
  prices?: { readonly [model: string]: ModelPrice };
};

/**
 * Checks and completes a configuration.
 * @throws AgentError `llm-settings-secret` for settings that look like a secret (they would be saved with every
 * session), `agent-invalid` for values that JSON cannot hold, and for prices that are negative or no number.
 */
export function checkedLlmConfig(init: LlmConfigInit, owner: string): LlmConfig {
  const { model = null, settings = {}, prices } = init;
  if (model !== null && (typeof model !== 'string' || model === '')) {
    throw invalid(`${owner}: llmConfig.model is ${JSON.stringify(model)}; give the id of a model, or null.`);
  }
  const plain = toJson(settings);
  const odd = oddPath(settings, plain, 'llmConfig.settings');
  if (odd !== null) throw invalid(`${owner}: ${odd} is not JSON; settings are plain data.`);
  for (const [id, price] of Object.entries(prices ?? {})) {
    for (const [kind, dollars] of Object.entries(price)) {
      checkedAmount(dollars, `${owner}: llmConfig.prices[${JSON.stringify(id)}].${kind}`);
    }
  }
  return {
    model,
    settings: checkSettings(plain, `${owner}: llmConfig`),
    ...(prices === undefined ? {} : { prices }),
  };
}

/** The path of a value that JSON changed; null when there is none. Undefined properties are absent from both. */
function oddPath(value: unknown, json: JsonValue | undefined, path: string): string | null {
  if (value === json) return null;
  if (typeof json !== 'object' || json === null) return path;
  if (!Array.isArray(value) && !isPlainObject(value)) return path;
  for (const [key, child] of Object.entries(value)) {
    const odd = oddPath(child, (json as JsonObject)[key], `${path}.${key}`);
    if (odd !== null) return odd;
  }
  return null;
}

function invalid(message: string): AgentError {
  return errors.agentInvalid(message);
}
