import { AgentState, createAgentLoop, defineAgent, type JsonObject, proxyInference } from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestModels, typesOf } from '../../../../scripts/prices/named-models.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { frame, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { ProxyModel } from './proxy-model.ts';
import { modelsFromEnv } from './models-from-env.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.behave = { kind: 'status', status: 503 };
});
afterAll(() => upstream.close());

const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } };
const settings = { temperature: 0.5, topP: 0.9, topK: 5, maxOutputTokens: 1000 };

const modelsOf = (id: string): ProxyModel[] =>
  modelsFromEnv({
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: upstream.url,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: upstream.url,
    VITRINE_MODELS: id,
  });

/** The body that a model gets for a request with these settings. */
async function bodyOf(id: string, asked: JsonObject): Promise<JsonObject> {
  const [model] = modelsOf(id);
  const { signal } = new AbortController();
  const full = { ...request, tools: [tool], toolChoice: 'required' as const, settings: asked };
  for await (const _event of model?.client.stream(full, { signal }) ?? []);
  return JSON.parse(upstream.bodies().at(-1) ?? '{}') as JsonObject;
}

const newest = newestModels(typesOf('anthropic'))
  .map(({ name }) => name)
  .filter((name) => name.endsWith('-5-5') || /fable-5-[12]/.test(name));

describe('settings that the newest models answer with status 400', () => {
  it.each(newest.flatMap((name) => ['off', 'low', 'high', undefined].map((level) => [name, level] as const)))(
    '%s with the reasoning level %s gets no sampling, no budget, and no forced tool that it refuses',
    async (name, reasoning) => {
      const body = await bodyOf(`anthropic:${name}`, { ...settings, ...(reasoning && { reasoning }) });
      expect(body).toMatchObject({ model: name, max_tokens: 1000 });
      for (const field of ['temperature', 'top_p', 'top_k']) expect(body).not.toHaveProperty(field);
      const { type } = (body['thinking'] ?? {}) as { type?: string };
      expect([
        'adaptive',
        'between_tools',
        undefined,
        ...(name.includes('haiku') ? ['disabled'] : []),
      ]).toContain(type);
      // Haiku takes a forced tool.
      if (!name.includes('haiku')) expect(body['tool_choice'] ?? { type: 'auto' }).toEqual({ type: 'auto' });
      expect((body['messages'] as JsonObject[]).at(-1)).toMatchObject({ role: 'user' });
    },
  );

  it.each(['gpt-6.1-sol', 'gpt-6.1-terra'])('%s gets a reasoning effort that it knows', async (name) => {
    const body = await bodyOf(`openai:${name}`, { ...settings, reasoning: 'off' });
    const { effort } = (body['reasoning'] ?? {}) as { effort?: string };
    expect(['low', ...(name.endsWith('terra') ? ['none'] : [])]).toContain(effort);
    if (effort !== 'none') expect(body).not.toHaveProperty('temperature');
  });
});

/** The settings that the record of a run names as unsupported, over the proxy and a provider that answers. */
async function unsupportedOf(id: string, stream: string, asked: JsonObject): Promise<unknown> {
  const answer = writtenStreams().find(({ name }) => name === stream);
  upstream.next.push({ kind: 'answer', body: frame(answer!), size: null });
  const proxy = createInferenceProxy({ models: modelsOf(id), log: () => undefined });
  const fetch: typeof globalThis.fetch = (input, init) => proxy.fetch(new Request(input, init));
  const inference = proxyInference({ url: 'http://localhost', fetch });
  const agent = defineAgent({ name: 'a', inference, llmConfig: { settings: asked } });
  const state = await createAgentLoop(agent).execute(AgentState.withUserMessage(AgentState.create(), 'Hi'));
  // The document keeps it too.
  const [step] = AgentState.steps(AgentState.fromJSON(AgentState.toJSON(state)));
  expect(step?.inferenceResponse?.finishReason).toBe('stop');
  return step?.inferenceResponse?.unsupportedSettings;
}

describe('settings that a model does not support', () => {
  it.each([
    ['anthropic:claude-sonnet-5-5', 'anthropic-text', settings, ['temperature', 'topP', 'topK']],
    ['anthropic:claude-sonnet-4-5', 'anthropic-text', { seed: 7, temperature: 0.5 }, ['seed']],
    ['openai:gpt-6.1-sol', 'openai-text', { topK: 5, seed: 7, maxOutputTokens: 900 }, ['topK', 'seed']],
  ])('the record of an answer of %s (%s) names those of %j', async (id, stream, asked, named) => {
    expect(await unsupportedOf(id, stream, asked)).toEqual(named);
  });

  it('an answer whose model takes all of them names none', async () => {
    const taken = { temperature: 0.5, maxOutputTokens: 900 };
    expect(await unsupportedOf('anthropic:claude-sonnet-4-5', 'anthropic-text', taken)).toBeUndefined();
  });
});
