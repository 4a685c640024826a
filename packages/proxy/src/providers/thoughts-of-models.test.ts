import {
  AgentState,
  createAgentLoop,
  defineAgent,
  type JsonObject,
  Message,
  proxyInference,
} from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { answerWith } from './conversation-requests.fixture.ts';
import { modelsFromEnv } from './models-from-env.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const [sonnet, haiku] = ['anthropic:claude-sonnet-5-5', 'anthropic:claude-haiku-5-5'];

/** An answer with a signed thought, as Anthropic streams it. */
const thoughtful = (signature: string): JsonObject[] => [
  { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Yes.' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

function agentOf(model: string): ReturnType<typeof defineAgent> {
  const models = modelsFromEnv({
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: upstream.url,
    VITRINE_MODELS: [sonnet, haiku].join(','),
  });
  const proxy = createInferenceProxy({ models, allowedHosts: ['local.test'], log: () => undefined });
  const fetch: typeof globalThis.fetch = (url, init) => proxy.fetch(new Request(url, init));
  const inference = proxyInference({ url: 'http://local.test', fetch });
  return defineAgent({ name: 'a', inference, llmConfig: { model } });
}

/** Asks a model in a conversation. Returns the conversation with its answer, and the body that the model got. */
async function ask(
  state: AgentState,
  model: string,
  signature: string,
): Promise<{ state: AgentState; body: string }> {
  upstream.next.push(answerWith('anthropic', thoughtful(signature)));
  const next = await createAgentLoop(agentOf(model)).execute(AgentState.withUserMessage(state, 'Really?'));
  expect(AgentState.status(next)).toBe('completed');
  return { state: next, body: upstream.bodies().at(-1) ?? '' };
}

describe('signed thoughts', () => {
  it('a thought goes back to the model that made it and to no other one, over any change of models', async () => {
    const first = await ask(AgentState.create(), sonnet, 'by-sonnet');
    const second = await ask(first.state, haiku, 'by-haiku');
    expect(second.body).not.toContain('by-sonnet');
    const third = await ask(second.state, sonnet, 'by-sonnet-again');
    expect(third.body).toContain('by-sonnet');
    expect(third.body).not.toContain('by-haiku');
    const fourth = await ask(third.state, haiku, 'end');
    expect(fourth.body).toContain('by-haiku');
    expect(fourth.body).not.toContain('by-sonnet');
    // The name of the maker is ours, and no provider gets it.
    for (const body of upstream.bodies()) expect(body).not.toContain('vitrine');
  });

  it.each([
    [sonnet, false],
    ['anthropic:claude-sonnet-4-5', true],
  ])('a thought of an older conversation, which does not say its maker, goes to %s: %s', async (id, goes) => {
    const [model] = modelsFromEnv({
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: upstream.url,
      VITRINE_MODELS: id,
    });
    const thought = {
      type: 'reasoning' as const,
      text: 'Hm.',
      providerMetadata: { anthropic: { signature: 'older' } },
    };
    const messages = [
      Message.user('Hi'),
      {
        ...Message.user('Yes.'),
        role: 'assistant' as const,
        parts: [thought, { type: 'text' as const, text: 'Yes.' }],
      },
      Message.user('Really?'),
    ];
    upstream.next.push(answerWith('anthropic', thoughtful('x')));
    const request = {
      model: id,
      messages,
      tools: [],
      toolChoice: 'auto' as const,
      responseFormat: null,
      settings: {},
    };
    const { signal } = new AbortController();
    for await (const _event of model?.client.stream(request, { signal }) ?? []);
    expect(upstream.bodies().at(-1)?.includes('older')).toBe(goes);
  });
});
