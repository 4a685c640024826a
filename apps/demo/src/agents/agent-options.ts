import {
  type AgentInit,
  type InferenceClient,
  type ModelPrice,
  proxyInference,
  type SessionStore,
} from '@vitrine/core';

/** The chosen model and reasoning level; null leaves the choice to the server. */
export type ModelChoice = { readonly model: string | null; readonly reasoning: string | null };

/** The limits of one answer; null means no limit. `maxCost` is in US dollars. */
export type Limits = {
  readonly maxSteps: number | null;
  readonly maxTokens: number | null;
  readonly maxSeconds: number | null;
  readonly maxCost: number | null;
};

/** The options for creating any agent of the demo. */
export type CommonOptions = ModelChoice & {
  readonly limits: Limits;
  /** Prices by model id, for models without a price from the server. */
  readonly prices: { readonly [model: string]: ModelPrice };
  /** The client for the model. Default: the one for the demo's own server. */
  readonly inference?: InferenceClient;
};

/** The options for creating an agent of the page. */
export type AgentOptions = CommonOptions & {
  /** The store of the sessions' files. */
  readonly sessions: SessionStore;
};

/** The inference client of the page for the demo's own server. */
export const pageInference = proxyInference({ url: '/api' });

/** The settings that all agents share. */
export function commonSettings({
  inference = pageInference,
  model,
  reasoning,
  limits,
  prices,
}: CommonOptions): Pick<AgentInit, 'inference' | 'budget' | 'llmConfig'> {
  const settings = reasoning === null ? {} : { reasoning };
  return { inference, budget: limits, llmConfig: { model, settings, prices } };
}
