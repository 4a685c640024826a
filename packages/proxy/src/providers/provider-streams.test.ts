import {
  AgentState,
  createAgentLoop,
  defineAgent,
  defineTool,
  Message,
  proxyInference,
  type Tool,
} from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ProviderStream, Wire } from '../../../../tests/upstream/provider-stream.ts';
import { frame, recordedStreams, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { providers } from './providers.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** The environment of a server that has this provider alone. */
function environmentFor(wire: Wire): Record<string, string> {
  const { apiKey = '', baseURL = '' } = providers.find(({ id }) => id === wire)?.variables ?? {};
  return { [apiKey]: 'k', [baseURL]: upstream.url, VITRINE_MODELS: `${wire}:m` };
}

const anything = z.record(z.string(), z.unknown());
const echo = (name: string): Tool =>
  defineTool({ name, description: name, input: anything, execute: () => 'noted' });

/** The state after one step whose model answers with a stream, through the proxy and over real sockets. */
async function stepOver(
  { wire, chunks, expected }: ProviderStream,
  size: number | null,
): Promise<AgentState> {
  upstream.behave = { kind: 'answer', body: frame({ wire, chunks }), size };
  const models = modelsFromEnv(environmentFor(wire));
  const proxy = createInferenceProxy({ models, log: () => undefined });
  const server = await serveInferenceProxy(proxy, { port: 0 });
  const agent = defineAgent({
    name: 'a',
    systemPrompt: 'S',
    inference: proxyInference({ url: server.url }),
    tools: [...new Set(expected.toolCalls?.map(({ name }) => name))].map(echo),
    budget: { maxSteps: 1 },
  });
  const asked = AgentState.withUserMessage(AgentState.create(), 'Hi');
  return createAgentLoop(agent).execute(asked).finally(server.close);
}

function expectAnswer(state: AgentState, expected: ProviderStream['expected']): void {
  const [step] = AgentState.steps(state);
  const message = step?.outputMessages[0] ?? Message.assistant('');
  const calls = step?.toolExecutions ?? [];
  expect(Message.text(message)).toBe(expected.text ?? '');
  expect(Message.reasoning(message)).toBe(expected.reasoning ?? '');
  expect(calls.map(({ toolCall: { name, input } }) => ({ name, input }))).toEqual(expected.toolCalls ?? []);
  expect(calls.every((execution) => execution.status === 'completed')).toBe(true);
  if (expected.errorCode !== undefined) {
    expect(step?.errors).toMatchObject([{ code: expected.errorCode }]);
    expect(JSON.stringify(state)).not.toContain('secret-canary');
    return;
  }
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens, finishReason, explanation } = expected;
  // An answer that a filter blocked before any text is a failure that says so.
  const isEmpty = finishReason === 'content-filter' && (expected.text ?? '') === '';
  expect(step?.errors.map(({ code }) => code)).toEqual(isEmpty ? ['content-filtered'] : []);
  expect(step?.inferenceResponse).toMatchObject({ finishReason, usage: { inputTokens, outputTokens } });
  if (finishReason === 'content-filter') expect(step?.inferenceResponse?.explanation).toBe(explanation);
  if (reasoningTokens !== undefined)
    expect(step?.inferenceResponse?.usage).toMatchObject({ reasoningTokens });
  if (cacheReadTokens !== undefined)
    expect(step?.inferenceResponse?.usage).toMatchObject({ cacheReadTokens });
}

/** A long recording, byte by byte, takes 15 s on a fast machine. */
const timeout = 120_000;
const ways: readonly (readonly [string, number | null])[] = [
  ['all at once', null],
  ['one byte at a time', 1],
  ['in pieces of 97 bytes', 97],
];

describe.each(writtenStreams().map((stream) => [stream.name, stream] as const))(
  'the answer %s, written from its provider’s documents,',
  (_name, stream) => {
    it.each(ways)('the answer arrives complete when it is sent %s', { timeout }, async (_way, size) => {
      expectAnswer(await stepOver(stream, size), stream.expected);
    });
  },
);

it('every wire format that is spoken has a stream of every kind that its provider knows', () => {
  const kinds = (wire: Wire): string[] =>
    writtenStreams()
      .filter((stream) => stream.wire === wire)
      .map(({ expected: { errorCode, finishReason, reasoning } }) =>
        errorCode ? 'error' : `${finishReason}${reasoning ? ' reasoning' : ''}`,
      );
  const everywhere = ['stop', 'stop reasoning', 'tool-calls', 'length', 'content-filter', 'error'];
  for (const { id } of providers) expect(kinds(id as Wire), id).toEqual(expect.arrayContaining(everywhere));
});

const recordings = recordedStreams();
const absent = recordings.filter(({ stream }) => stream === null).map(({ name }) => name);

describe.each(recordings)('the recorded answer $name of a real model', ({ name, stream }) => {
  it.for(ways)('the answer arrives complete when it is sent %s', { timeout }, async ([, size], { skip }) => {
    if (stream === null) return skip(`the recording ${name} is not at hand`);
    expectAnswer(await stepOver(stream, size), stream.expected);
  });
});

// The reporter counts skipped tests, but shows the reasons only on request.
afterAll(() => {
  if (absent.length === 0) return;
  process.stdout.write(
    `Skipped: ${absent.length} of ${recordings.length} recorded answers are not at hand (${absent.join(', ')}).\n`,
  );
});
