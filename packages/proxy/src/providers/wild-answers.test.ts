import { readFileSync } from 'node:fs';
import { AgentState, createAgentLoop, defineAgent, defineTool, Message, proxyInference } from '@vitrine/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import type { WildCase } from '../../../../tests/upstream/wild-answers.ts';
import { wildCases } from '../../../../tests/upstream/wild-cases.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { ProxyLogEntry } from '../operator/request-line.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { providers } from './providers.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const table = readFileSync(new URL('../../../../tests/upstream/wild.md', import.meta.url), 'utf8');
/** The rows of the table: name, deviation and source. */
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', deviation = '', source = '']) => ({
    name: name.replaceAll('`', ''),
    deviation,
    source,
  }));

it('every row of the table has a case, every case a row, and every row a public source', () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(wildCases).toSorted());
  for (const { name, deviation, source } of rows) {
    expect(deviation, name).not.toBe('');
    expect(source, name).toMatch(
      /^\[[\w.-]+\/[\w.-]+#\d+\]\(https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+\)/,
    );
  }
});

/** The first step of an agent whose model answers so, through the proxy and over real sockets. */
async function stepOver({ wire, body, status = 200, headers, env = {} }: WildCase): Promise<{
  readonly state: AgentState;
  readonly ran: unknown[];
  readonly log: ProxyLogEntry[];
}> {
  upstream.behave =
    headers === undefined && status === 200
      ? { kind: 'answer', body, size: null }
      : { kind: 'status', status, body, headers: { ...headers } };
  const { apiKey = '', baseURL = '' } = providers.find(({ id }) => id === wire)?.variables ?? {};
  const models = modelsFromEnv({
    [apiKey]: 'test-key',
    [baseURL]: upstream.url,
    VITRINE_MODELS: `${wire}:m`,
    ...env,
  });
  const log: ProxyLogEntry[] = [];
  const server = await serveInferenceProxy(createInferenceProxy({ models, log: (line) => log.push(line) }), {
    port: 0,
  });
  const ran: unknown[] = [];
  const execute = (input: unknown): string => {
    ran.push(input);
    return 'noted';
  };
  const agent = defineAgent({
    name: 'a',
    inference: proxyInference({ url: server.url }),
    tools: [
      defineTool({ name: 'read', description: 'Reads', input: z.record(z.string(), z.unknown()), execute }),
      defineTool({
        name: 'search',
        description: 'Searches',
        input: z.object({ queries: z.array(z.string()), limit: z.number().optional() }),
        execute,
      }),
    ],
    budget: { maxSteps: 1 },
    retry: { maxAttempts: 1 },
  });
  const asked = AgentState.withUserMessage(AgentState.create(), 'Hi');
  const state = await createAgentLoop(agent).execute(asked).finally(server.close);
  return { state, ran, log };
}

it.each(rows)('$name: $deviation', async ({ name }) => {
  const wild = wildCases[name];
  if (wild === undefined) throw new Error(`The row ${name} has no case.`);
  const { expected } = wild;
  const { state, ran, log } = await stepOver(wild);
  const [step] = AgentState.steps(state);
  const said = step?.outputMessages[0] ?? Message.assistant('');
  const calls = step?.toolExecutions ?? [];
  const seen = {
    text: Message.text(said),
    reasoning: Message.reasoning(said),
    parts: said.parts.map((part) => `${part.type}:${'text' in part ? part.text : ''}`),
    calls: calls.map(({ toolCall, status }) => [toolCall.name, toolCall.input, status]),
    ran,
    finishReason: step?.inferenceResponse?.finishReason,
    inputTokens: step?.inferenceResponse?.usage.inputTokens,
    skippedFrames: step?.inferenceResponse?.skippedFrames ?? 0,
    errorCode: step?.errors[0]?.code ?? null,
    retryable: step?.errors[0]?.data['retryable'],
    retryAfterMs: step?.errors[0]?.data['retryAfterMs'],
  };
  const { callError, logged, ...same } = expected;
  const isFailed = expected.errorCode !== null;
  // An error of a call is also told in the step.
  const told = callError === undefined ? seen : { ...seen, errorCode: expected.errorCode };
  expect(told).toMatchObject({ ...(isFailed ? {} : { skippedFrames: 0 }), ...same });
  if (callError !== undefined) expect(calls[0]?.error?.message).toMatch(callError);
  if (logged !== undefined) expect(JSON.stringify(log)).toContain(logged);
});
