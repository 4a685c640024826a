import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type InferenceClient, type InferenceEvent, Message, proxyInference, Usage } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { joinedDeltas } from '../../../tests/upstream/joined-deltas.ts';
import { startUpstream, type Upstream } from '../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from './create-inference-proxy.ts';
import type { InferenceProxyOptions } from './inference-proxy.ts';
import type { ProxyModel } from './providers/proxy-model.ts';
import type { ProxyLogEntry } from './operator/request-line.ts';
import { serveInferenceProxy } from './node/serve-inference-proxy.ts';
import { chunk } from '../../../tests/upstream/chat-chunk.ts';
import { request } from '../../../tests/upstream/plain-request.ts';

const canary = 'sk-secret-canary';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const served = (client: InferenceClient): ProxyModel[] => [{ id: 'p:m', name: 'm', provider: 'p', client }];

async function withServer<Value>(
  run: (server: { url: string; log: ProxyLogEntry[] }) => Promise<Value>,
  options: Partial<InferenceProxyOptions> = {},
): Promise<Value> {
  const log: ProxyLogEntry[] = [];
  const model = createOpenAICompatible({
    name: 'p',
    baseURL: upstream.url,
    apiKey: canary,
    includeUsage: true,
  }).chatModel('m');
  const proxy = createInferenceProxy({
    models: served(fromLanguageModel(model)),
    log: (entry) => log.push(entry),
    ...options,
  });
  const server = await serveInferenceProxy(proxy, { port: 0 });
  try {
    return await run({ url: server.url, log });
  } finally {
    await server.close({ graceMs: 0 });
  }
}

async function events(url: string, signal = new AbortController().signal): Promise<InferenceEvent[]> {
  const list: InferenceEvent[] = [];
  for await (const event of proxyInference({ url }).stream(request, { signal })) list.push(event);
  return list;
}

const post = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/inference`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('an upstream that fails', () => {
  it.each([
    ['401', { kind: 'status', status: 401 }, 'upstream-unauthorized', false, null],
    [
      '429 with retry-after',
      { kind: 'status', status: 429, headers: { 'retry-after': '7' } },
      'upstream-rate-limited',
      true,
      7000,
    ],
    ['500', { kind: 'status', status: 500 }, 'upstream-unavailable', true, null],
    ['a hang', { kind: 'hang' }, 'upstream-timeout', true, null],
    ['a stream that stalls', { kind: 'stall', body: chunk('a') }, 'upstream-timeout', true, null],
    ['a stream that is cut', { kind: 'cut', body: chunk('a') }, /upstream|stream/, true, null],
    [
      'a stream that is not JSON',
      { kind: 'answer', body: 'data: {nope\n\n', size: null },
      /stream-malformed|upstream-error/,
      true,
      null,
    ],
  ] as const)(
    'an upstream that fails with %s is reported, logged in one line, and the answer keeps no key',
    async (_what, behave, code, retryable, retryAfterMs) => {
      upstream.behave = behave;
      // Only a silent upstream needs a short deadline; on a busy machine the others may take longer than it.
      const isSilent = behave.kind === 'hang' || behave.kind === 'stall';
      const limits = isSilent ? { firstEventMs: 150, idleMs: 150 } : {};
      await withServer(
        async ({ url, log }) => {
          const last = (await events(url)).at(-1);
          expect(last).toMatchObject({
            type: 'error',
            code: expect.stringMatching(code),
            retryable,
            retryAfterMs,
          });
          await vi.waitFor(() => expect(log).toHaveLength(1));
          expect(JSON.stringify(last)).not.toContain('secret-canary');
          expect(JSON.stringify(log)).not.toContain(canary);
          expect(upstream.authorizations().at(-1)).toContain(canary);
        },
        { limits },
      );
    },
  );

  it('an upstream that ends early is never taken for a finished answer', async () => {
    upstream.behave = { kind: 'answer', body: chunk('a'), size: null };
    await withServer(async ({ url }) => {
      const list = await events(url);
      expect(list.some((event) => event.type === 'text-delta' && event.delta === 'a')).toBe(true);
      expect(list.at(-1)).toMatchObject({ type: expect.stringMatching(/error|finish/) });
      if (list.at(-1)?.type === 'finish') expect(list.at(-1)).toMatchObject({ finishReason: 'other' });
    });
  });
});

describe('a request', () => {
  it.each([
    ['that is not JSON', '{', {}, 400, 'invalid-json'],
    ['without messages', '{}', {}, 400, 'invalid-request'],
    [
      'for a model that is not served',
      JSON.stringify({ ...request, model: 'p:other' }),
      {},
      404,
      'unknown-model',
    ],
    ['of another type', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported-media-type'],
    [
      'over the limit',
      JSON.stringify({ ...request, messages: [Message.user('x'.repeat(3000))] }),
      {},
      413,
      'body-too-large',
    ],
    [
      'of a page of another site',
      JSON.stringify(request),
      { origin: 'https://evil.example' },
      403,
      'origin-not-allowed',
    ],
    ['of no site', JSON.stringify(request), { origin: 'null' }, 403, 'origin-not-allowed'],
  ])('%s is refused with a reason', async (_what, body, headers, status, code) => {
    await withServer(
      async ({ url, log }) => {
        const response = await post(url, body, headers);
        expect(response.status).toBe(status);
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(await response.json()).toMatchObject({ status, code, detail: expect.any(String) });
        expect(log).toHaveLength(1);
      },
      { limits: { bodyBytes: 2000 } },
    );
  });

  it('a request that its client gives up ends at the upstream', async () => {
    for (const behave of [{ kind: 'hang' }, { kind: 'stall', body: chunk('a') }] as const) {
      upstream.behave = behave;
      const before = upstream.closedEarly();
      const asked = upstream.authorizations().length;
      await withServer(async ({ url }) => {
        const controller = new AbortController();
        const reading = events(url, controller.signal).catch(() => []);
        await vi.waitFor(() => expect(upstream.authorizations().length).toBe(asked + 1));
        controller.abort();
        await reading;
        await vi.waitFor(() => expect(upstream.closedEarly()).toBe(before + 1));
      });
    }
  });
});

describe('a stream', () => {
  const slow = scriptedInference([{ text: 'abcdefgh', chunks: 8, delayMs: 10 }]);

  it('a stream can be resumed after an event, also when it has ended', async () => {
    await withServer(
      async ({ url }) => {
        const first = await post(url, JSON.stringify(request));
        const id = first.headers.get('x-inference-id');
        const all = await first.text();
        const again = await fetch(`${url}/v1/inference/${id}`, { headers: { 'last-event-id': '3' } });
        const rest = (await again.text()).replace(': ping\n\n', '');
        expect(rest).toMatch(/^id: 4\n/);
        expect(all.endsWith(rest)).toBe(true);
        expect((await fetch(`${url}/v1/inference/nope`)).status).toBe(404);
      },
      { models: served(slow) },
    );
  });

  it('a stream can be cancelled', async () => {
    await withServer(
      async ({ url }) => {
        const response = await post(url, JSON.stringify(request));
        const id = response.headers.get('x-inference-id');
        expect((await fetch(`${url}/v1/inference/${id}`, { method: 'DELETE' })).status).toBe(204);
        expect(await response.text()).not.toContain('finish');
      },
      { models: served(slow) },
    );
  });

  it('the text of a model never becomes an event of its own', async () => {
    const deltas = fc.array(
      fc.string({
        unit: fc.constantFrom('\n', '\r', 'data: ', 'id: 9', ':', 'event: x', '\u2028', '😀', '"'),
      }),
      { minLength: 1, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(deltas, async (texts) => {
        const client = scriptedInference([{ chunks: texts.filter((text) => text !== '') }]);
        const proxy = createInferenceProxy({ models: served(client), log: () => undefined });
        const list: InferenceEvent[] = [];
        const inner = proxyInference({
          url: 'http://localhost',
          fetch: (input, init) => proxy.fetch(new Request(input, init)),
        });
        for await (const event of inner.stream(request, { signal: new AbortController().signal }))
          list.push(event);
        const said = texts.join('');
        expect(joinedDeltas(list).map((event) => ('delta' in event ? event.delta : event.type))).toEqual([
          'start',
          ...(said === '' ? [] : [said]),
          'finish',
        ]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the other addresses', () => {
  it('the list of models and the health check are answered', async () => {
    const proxy = createInferenceProxy({
      models: served(scriptedInference([{ text: 'x', usage: Usage.none() }])),
      log: () => undefined,
    });
    const models = await proxy.fetch(new Request('http://localhost/v1/models'));
    expect(await models.json()).toEqual({ models: [{ id: 'p:m', name: 'm', provider: 'p', default: true }] });
    expect((await proxy.fetch(new Request('http://localhost/healthz'))).status).toBe(200);
    expect((await proxy.fetch(new Request('http://localhost/other'))).status).toBe(404);
  });

  it('the other addresses refuse a caller that authorize refuses', async () => {
    const proxy = createInferenceProxy({
      models: served(scriptedInference([{}])),
      authorize: () => null,
      log: () => undefined,
    });
    expect((await proxy.fetch(new Request('http://localhost/v1/models'))).status).toBe(401);
  });
});
