import {
  AgentState,
  createAgentLoop,
  defineAgent,
  defineTool,
  type JsonObject,
  proxyInference,
} from '@vitrine/core';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Wire } from '../../../../tests/upstream/provider-stream.ts';
import { frame } from '../../../../tests/upstream/provider-streams.ts';
import type { Behaviour, Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { providers } from './providers.ts';

/** A signature as long and as odd as those of providers. */
export const signature = (name: string): string => `${name}+/=${'x'.repeat(300)}é"`;

/** An answer of these chunks, in the format of the provider. */
export function answerWith(wire: Wire, answer: readonly JsonObject[]): Behaviour {
  const chunks = answer.map((chunk) => JSON.stringify(chunk));
  return { kind: 'answer', body: frame({ wire, chunks }), size: null };
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.record(z.string(), z.unknown()),
  execute: () => 'seen',
});

/**
 * The requests that reach a provider in a conversation whose steps it answers in turn, through the real package and
 * sockets.
 */
export async function requestsOf(
  upstream: Upstream,
  wire: Wire,
  answers: readonly (readonly JsonObject[])[],
  settings: JsonObject = {},
  env: Record<string, string> = {},
): Promise<JsonObject[]> {
  const { apiKey = '', baseURL = '' } = providers.find(({ id }) => id === wire)?.variables ?? {};
  // A compatible server would be asked for its models first.
  const named = wire === 'openai-compatible' ? { VITRINE_MODELS: `${wire}:m` } : {};
  const models = modelsFromEnv({ [apiKey]: 'k', [baseURL]: upstream.url, ...named, ...env });
  const before = upstream.bodies().length;
  upstream.next.length = 0;
  upstream.next.push(...answers.map((answer) => answerWith(wire, answer)));
  const server = await serveInferenceProxy(createInferenceProxy({ models, log: () => undefined }), {
    port: 0,
  });
  const agent = defineAgent({
    name: 'a',
    inference: proxyInference({ url: server.url }),
    tools: [look],
    llmConfig: { model: null, settings },
  });
  const asked = AgentState.withUserMessage(AgentState.create(), 'Hi');
  const ended = await createAgentLoop(agent).execute(asked).finally(server.close);
  expect([AgentState.status(ended), AgentState.errors(ended)]).toEqual(['completed', []]);
  return upstream
    .bodies()
    .slice(before)
    .map((body) => JSON.parse(body) as JsonObject);
}
