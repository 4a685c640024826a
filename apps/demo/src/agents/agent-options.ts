import { type AgentInit, type ModelPrice, proxyInference, type SessionStore } from '@vitrine/react';

/** What the person wants to be answered by, and how much it is to think; null leaves it to the server. */
export type ModelChoice = { readonly model: string | null; readonly reasoning: string | null };

/** What one answer may take; null is no limit. `maxCost` is in US dollars. */
export type Limits = {
  readonly maxSteps: number | null;
  readonly maxTokens: number | null;
  readonly maxSeconds: number | null;
  readonly maxCost: number | null;
};

/** What an agent of the demo is made with. */
export type AgentOptions = ModelChoice & {
  readonly limits: Limits;
  /** Prices by model id, where the server does not tell them. */
  readonly prices: { readonly [model: string]: ModelPrice };
  /** Where the files of sessions are. */
  readonly sessions: SessionStore;
};

/** The models of the demo's own server. */
export const inference = proxyInference({ url: '/api' });

/** What all agents have in common. */
export function commonSettings({
  model,
  reasoning,
  limits,
  prices,
}: AgentOptions): Pick<AgentInit, 'inference' | 'budget' | 'llmConfig'> {
  const settings = reasoning === null ? {} : { reasoning };
  return { inference, budget: limits, llmConfig: { model, settings, prices } };
}
