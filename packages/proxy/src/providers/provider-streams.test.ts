import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  AgentState,
  createAgentLoop,
  defineAgent,
  defineTool,
  fromLanguageModel,
  type LanguageModel,
  Message,
  proxyInference,
  type Tool,
} from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { expectedAnswer } from '../../../../tests/upstream/expected-answer.ts';
import { frame, recordedStreams, type RecordedStream } from '../../../../tests/upstream/recorded-streams.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { serveInferenceProxy } from '../serve-inference-proxy.ts';

const streams = recordedStreams();
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

function modelFor({ name, wire }: RecordedStream): LanguageModel {
  if (wire === 'anthropic') return createAnthropic({ apiKey: 'k', baseURL: upstream.url })('m');
  if (wire === 'google') return createGoogleGenerativeAI({ apiKey: 'k', baseURL: upstream.url })('m');
  if (name.startsWith('openai')) return createOpenAI({ apiKey: 'k', baseURL: upstream.url }).chat('m');
  return createOpenAICompatible({
    name: 'recorded',
    baseURL: upstream.url,
    apiKey: 'k',
    includeUsage: true,
  }).chatModel('m');
}

const anything = z.record(z.string(), z.unknown());
const echo = (name: string): Tool =>
  defineTool({ name, description: name, input: anything, execute: () => 'noted' });

describe.skipIf(streams.length === 0)(
  'recorded answers of real models (skipped where the recordings are not at hand)',
  () => {
    const ways: [string, number | null][] = [
      ['all at once', null],
      ['one byte at a time', 1],
      ['in pieces of 97 bytes', 97],
    ];
    for (const stream of streams) {
      it.each(ways)(`${stream.name} comes out complete, sent %s`, { timeout: 30_000 }, async (_way, size) => {
        upstream.behave = { kind: 'answer', body: frame(stream), size };
        const model = { id: 'p:m', name: 'm', provider: 'p', client: fromLanguageModel(modelFor(stream)) };
        const server = await serveInferenceProxy(createInferenceProxy({ models: [model] }), { port: 0 });
        const expected = expectedAnswer(stream);
        const tools = [...new Set(expected.toolCalls.map(({ name }) => name))].map(echo);
        const agent = defineAgent({
          name: 'a',
          systemPrompt: 'S',
          inference: proxyInference({ url: server.url }),
          tools,
          budget: { maxSteps: 1 },
        });
        const state = await createAgentLoop(agent).execute(
          AgentState.withUserMessage(AgentState.create(), 'Hi'),
        );
        await server.close();

        const [step] = AgentState.steps(state);
        const [message] = step?.outputMessages ?? [];
        expect(step?.errors).toEqual([]);
        expect(message && Message.text(message)).toBe(expected.text);
        expect(message && Message.reasoning(message)).toBe(expected.reasoning);
        expect(
          step?.toolExecutions.map(({ toolCall }) => ({ name: toolCall.name, input: toolCall.input })),
        ).toEqual(expected.toolCalls);
        expect(step?.toolExecutions.every((execution) => execution.status === 'completed')).toBe(true);
        expect(step?.inferenceResponse).toMatchObject({
          finishReason: expected.finishReason,
          usage: { inputTokens: expected.inputTokens, outputTokens: expected.outputTokens },
        });
      });
    }
  },
);
