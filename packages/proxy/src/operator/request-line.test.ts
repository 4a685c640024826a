import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type InferenceClient, Usage } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { scriptedInference } from '@vitrine/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { InferenceProxy, InferenceProxyOptions } from '../inference-proxy.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import { at, delta, post, puppet } from '../stream/served.fixture.ts';
import type { ProxyLogEntry } from './request-line.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
afterEach(() => void vi.restoreAllMocks());

const hello = scriptedInference([
  { text: 'Hello', usage: Usage.of({ inputTokens: 1000, outputTokens: 500 }) },
]);

/** A proxy for one model, with the lines of its log. */
function logged(
  client: InferenceClient,
  options: Partial<InferenceProxyOptions> = {},
): { proxy: InferenceProxy; lines: ProxyLogEntry[] } {
  const lines: ProxyLogEntry[] = [];
  const models = [{ id: 'p:m', name: 'm', provider: 'p', client, price: { input: 2, output: 10 } }];
  return { proxy: createInferenceProxy({ models, log: (line) => lines.push(line), ...options }), lines };
}

const whenSettled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe('the one line of a request', () => {
  it('the line of a model call has model, tokens, cost and times, after its stream has ended', async () => {
    const model = puppet();
    const { proxy, lines } = logged(model, { authorize: () => ({ id: 'ada' }) });
    let now = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const answer = await proxy.fetch(post());
    now = 1015;
    model.say(delta('Hello'));
    await whenSettled();
    expect(lines).toEqual([]);
    now = 1040;
    const usage = Usage.of({ inputTokens: 1000, outputTokens: 500 });
    model.say({ type: 'finish', finishReason: 'stop', usage });
    await answer.text();
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    await whenSettled();
    expect(lines).toEqual([
      {
        requestId: answer.headers.get('x-request-id'),
        route: 'POST /v1/inference',
        outcome: 'completed',
        code: null,
        status: 200,
        principal: 'ada',
        model: 'p:m',
        id: answer.headers.get('x-inference-id'),
        inputTokens: 1000,
        outputTokens: 500,
        cost: 0.007,
        ms: 40,
        firstEventMs: 15,
        cause: null,
        hint: null,
      },
    ]);
  });

  it('the line of a refusal has its code and remedy, and its id is in the problem and a header', async () => {
    const { proxy, lines } = logged(hello);
    const answer = await proxy.fetch(new Request('http://localhost/v1/inference', { method: 'POST' }));
    const { requestId } = (await answer.json()) as { requestId: string };
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    expect(lines).toMatchObject([
      { requestId, outcome: 'refused', code: 'unsupported-media-type', status: 415, model: null },
    ]);
    expect(lines[0]?.hint).toMatch(/^[A-Z].*\.$/);
  });

  it('a request without a model is logged at once, and a probe never', async () => {
    const { proxy, lines } = logged(hello);
    const first = await proxy.fetch(post({ 'idempotency-key': 'k' }));
    await first.text();
    await whenSettled();
    const id = first.headers.get('x-inference-id');
    lines.length = 0;
    await proxy.fetch(post({ 'idempotency-key': 'k' }));
    await proxy.fetch(at(id));
    await proxy.fetch(at(id, { method: 'DELETE' }));
    await proxy.fetch(new Request('http://localhost/v1/models'));
    for (const probe of ['healthz', 'readyz', 'metrics', 'api/healthz'])
      await proxy.fetch(new Request(`http://localhost/${probe}`));
    expect(lines.map(({ route, outcome, id: stream }) => [route, outcome, stream])).toEqual([
      ['POST /v1/inference', 'read', id],
      ['GET /v1/inference/:id', 'read', id],
      ['DELETE /v1/inference/:id', 'read', id],
      ['GET /v1/models', 'read', null],
    ]);
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(4);
  });

  it('the line of an aborted request says cancelled, without a hint', async () => {
    const model = puppet();
    const { proxy, lines } = logged(model);
    const answer = await proxy.fetch(post());
    await proxy.fetch(at(answer.headers.get('x-inference-id'), { method: 'DELETE' }));
    await answer.text();
    await vi.waitFor(() => expect(lines).toHaveLength(2));
    expect(lines.find(({ route }) => route === 'POST /v1/inference')).toMatchObject({
      outcome: 'cancelled',
      code: 'stream-cancelled',
      hint: null,
      cause: null,
    });
  });

  it('the line about a failed log of streams has the error', async () => {
    const { proxy, lines } = logged(hello, {
      streamLog: {
        ...({} as NonNullable<InferenceProxyOptions['streamLog']>),
        create: () => Promise.reject(new Error('connect ECONNREFUSED, password=hunter2')),
      },
    });
    const answer = await proxy.fetch(post());
    expect(await answer.text()).not.toContain('ECONNREFUSED');
    expect(lines).toMatchObject([
      {
        outcome: 'refused',
        code: 'stream-log-unreachable',
        status: 503,
        cause: 'The log of streams failed: connect ECONNREFUSED, password=•••',
      },
    ]);
  });
});

describe('what an upstream says when it fails', () => {
  const wrongKey = {
    kind: 'status',
    status: 401,
    body: JSON.stringify({ error: { message: 'Bad credential "plain canary": try another.' } }),
  } as const;

  it.each([
    [401, 'upstream-unauthorized', 'OPENAI_COMPATIBLE_API_KEY', 'Bad credential "•••": try another.'],
    [402, 'upstream-quota-exhausted', 'OPENAI_COMPATIBLE_API_KEY', 'No credit.'],
    [404, 'upstream-unknown-model', 'VITRINE_MODELS', 'The model `m` does not exist.'],
    [400, 'upstream-invalid-request', null, 'This model’s maximum context length is 8192 tokens.'],
  ])(
    'an upstream that answers %d is in the line with a hint, and not in the answer',
    async (status, code, variable, said) => {
      upstream.behave = {
        kind: 'status',
        status,
        body: JSON.stringify({ error: { message: said.replace('•••', 'plain canary') } }),
      };
      const lines: ProxyLogEntry[] = [];
      const proxy = createInferenceProxy({
        models: modelsFromEnv({
          OPENAI_COMPATIBLE_BASE_URL: upstream.url,
          OPENAI_COMPATIBLE_API_KEY: 'plain canary',
          VITRINE_MODELS: 'openai-compatible:m',
        }),
        log: (line) => lines.push(line),
      });
      const text = await (await proxy.fetch(post())).text();
      await vi.waitFor(() => expect(lines).toHaveLength(1));
      expect(text).toContain(`"code":"${code}"`);
      expect(text).not.toContain(said.slice(0, 12));
      expect(lines[0]).toMatchObject({ outcome: 'failed', status: 200, code, model: 'openai-compatible:m' });
      expect(lines[0]?.cause).toContain(said);
      expect(lines[0]?.hint).toContain('provider openai-compatible, model openai-compatible:m');
      if (variable !== null) expect(lines[0]?.hint).toContain(`environment variable ${variable}`);
      expect(JSON.stringify(lines)).not.toContain('plain canary');
    },
  );

  it.each<[string, InferenceClient]>([
    [
      'in its stream',
      fromLanguageModel({
        provider: 'p',
        modelId: 'm',
        doStream: async () => ({
          stream: new ReadableStream({
            start(parts) {
              parts.enqueue({ type: 'error', error: { message: 'overloaded, key sk-canary-123456' } });
              parts.close();
            },
          }),
        }),
      }),
    ],
    [
      'by throwing',
      {
        // oxlint-disable-next-line require-yield -- that is the case
        async *stream() {
          throw new Error('overloaded, key sk-canary-123456');
        },
      },
    ],
  ])('%s is in the line, without its key', async (_how, client) => {
    const { proxy, lines } = logged(client);
    const text = await (await proxy.fetch(post())).text();
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(text).not.toContain('overloaded');
    expect(lines[0]).toMatchObject({ code: 'upstream-error', cause: 'overloaded, key •••' });
  });

  it('an upstream that cannot be reached gives a hint with the address to check', async () => {
    const model = createOpenAICompatible({ name: 'p', baseURL: 'http://127.0.0.1:1' }).chatModel('m');
    const { lines, proxy } = logged(fromLanguageModel(model), {
      models: [{ id: 'openai:m', name: 'm', provider: 'openai', client: fromLanguageModel(model) }],
    });
    await (await proxy.fetch(post())).text();
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({
      code: 'upstream-unreachable',
      hint: expect.stringContaining('OPENAI_BASE_URL'),
    });
    expect(lines[0]?.cause).toMatch(/ECONNREFUSED|bad port/);
  });

  it('a log that throws does not harm the answer', async () => {
    upstream.behave = wrongKey;
    const { proxy } = logged(hello, {
      log: () => {
        throw new Error('full disk');
      },
    });
    expect((await proxy.fetch(post())).status).toBe(200);
    expect((await proxy.fetch(new Request('http://localhost/nowhere'))).status).toBe(404);
  });
});
