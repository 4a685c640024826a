import { type InferenceClient, Usage } from '@vitrine/core';
import {
  createInferenceProxy,
  type InferenceProxy,
  type InferenceProxyOptions,
  type Limiter,
  type StreamReport,
} from '@vitrine/proxy';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it, vi } from 'vitest';
import { conversation } from './attacked-proxy.ts';

/** A model that says one word when it is let, and then has used so many tokens. */
function gatedModel(totalTokens: number | null): {
  readonly client: InferenceClient;
  readonly open: () => void;
  readonly calls: () => number;
} {
  let calls = 0;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const client: InferenceClient = {
    async *stream() {
      calls++;
      yield { type: 'start', id: null, model: null };
      await gate;
      yield { type: 'text-delta', delta: 'word' };
      if (totalTokens === null) throw new Error('cut');
      yield { type: 'finish', finishReason: 'stop', usage: Usage.of({ outputTokens: totalTokens }) };
    },
  };
  return { client, open: () => open(), calls: () => calls };
}

const proxyOf = (client: InferenceClient, options: Partial<InferenceProxyOptions>): InferenceProxy =>
  createInferenceProxy({
    models: [{ id: 'p:m', name: 'm', provider: 'p', client }],
    authorize: (request) => ({ id: request.headers.get('authorization') ?? 'ann' }),
    log: () => undefined,
    ...options,
  });

const ask = (
  proxy: InferenceProxy,
  headers: Record<string, string> = {},
  more: object = {},
): Promise<Response> =>
  proxy.fetch(
    new Request('https://chat.example/v1/inference', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...conversation, ...more }),
    }),
  );

const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { code: string }).code;

/** As when another process counts in the same store. */
const limiter = (points: number, duration: number): Limiter => new RateLimiterMemory({ points, duration });

describe('200 requests at once', () => {
  it.each([
    ['requests', { requests: { points: 20, seconds: 60 } }, 'quota-exceeded'],
    ['tokens', { cost: { points: 2000, seconds: 60 } }, 'quota-exceeded'],
    ['streams', { concurrent: 20 }, 'too-many-streams'],
    ['requests, by a limiter', { requests: limiter(20, 60) }, 'quota-exceeded'],
    ['tokens, by a limiter', { cost: limiter(2000, 60) }, 'quota-exceeded'],
    ['streams, by a limiter', { concurrent: { max: 20, limiter: limiter(1, 60) } }, 'too-many-streams'],
  ])('concurrent requests do not exceed the limit of %s together', async (_what, quotas, code) => {
    const model = gatedModel(1);
    // A request of this length with an answer of 10 tokens is taken to cost about 100 at most.
    const proxy = proxyOf(model.client, { quotas, limits: { maxOutputTokens: 10 } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(proxy)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(model.calls()).toBe(200 - refused.length);
    expect(model.calls()).toBeLessThanOrEqual(20);
    expect(model.calls()).toBeGreaterThan(10);
    for (const answer of refused) {
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await codeOf(answer)).toBe(code);
    }
    model.open();
  });
});

describe('what was set aside', () => {
  const quotas = { cost: { points: 350, seconds: 60 } };
  const limits = { maxOutputTokens: 200 };

  it('the reservation returns what an answer has not used', async () => {
    const model = gatedModel(10);
    model.open();
    const proxy = proxyOf(model.client, { quotas, limits });
    for (let at = 0; at < 5; at++) {
      await vi.waitFor(async () => {
        const answer = await ask(proxy);
        expect(answer.status).toBe(200);
        await answer.text();
      });
    }
  });

  it('an answer may exceed its reservation, and the next one pays for it', async () => {
    const model = gatedModel(400);
    model.open();
    const proxy = proxyOf(model.client, { quotas: { cost: { points: 600, seconds: 60 } }, limits });
    await (await ask(proxy)).text();
    await vi.waitFor(async () => expect((await ask(proxy)).status).toBe(429));
    expect(model.calls()).toBe(1);
  });

  it('an answer that broke off costs its request and what came of it', async () => {
    const model = gatedModel(null);
    model.open();
    const costs: number[] = [];
    const costOf = (usage: Usage): number => {
      costs.push(usage.totalTokens);
      return usage.totalTokens;
    };
    await (await ask(proxyOf(model.client, { quotas: { ...quotas, costOf }, limits }))).text();
    await vi.waitFor(() => expect(costs).toHaveLength(2));
    const [reserved = 0, used = 0] = costs;
    expect(reserved).toBeGreaterThan(220);
    expect(used).toBeGreaterThan(reserved - limits.maxOutputTokens);
    expect(used).toBeLessThan(reserved - limits.maxOutputTokens + 10);
  });

  it('a reservation bounds the bill of silent thoughts, though 400 readers leave at once', async () => {
    let billed = 0;
    const thinker: InferenceClient = {
      // oxlint-disable-next-line require-yield -- the model thinks without a word
      async *stream({ settings }, { signal }) {
        billed += Number(settings['maxOutputTokens']);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    };
    const reports: StreamReport[] = [];
    const proxy = proxyOf(thinker, {
      quotas: { cost: { points: 100_000, seconds: 60 } },
      limits: { resumeGraceMs: 0 },
      onStreamEnd: (report) => reports.push(report),
    });
    let letIn = 0;
    for (let at = 0; at < 400; at++) {
      const answer = await ask(proxy);
      await answer.body?.cancel();
      if (answer.status !== 200) continue;
      letIn++;
      await vi.waitFor(() => expect(reports).toHaveLength(letIn));
    }
    expect(letIn).toBeGreaterThan(5);
    expect(billed).toBeGreaterThan(50_000);
    expect(billed).toBeLessThanOrEqual(100_000);
  });

  it.each([
    ['its bytes', { data: 'A'.repeat(40_000) }, 30_000],
    ['no fewer tokens than any image', { data: 'AAAA' }, 4096],
    ['the largest that may be sent, when only its address is known', { url: 'https://f.example/a' }, 50_000],
  ])('a reservation counts %s for a file', async (_what, file, tokens) => {
    const costs: number[] = [];
    const model = gatedModel(1);
    const proxy = proxyOf(model.client, {
      quotas: { ...quotas, costOf: (usage) => (costs.push(usage.inputTokens), 1) },
      limits: { imageBytes: 50_000 },
      resolveHost: async () => ['93.184.215.14'],
    });
    const parts = [{ type: 'file', mediaType: 'image/png', ...file }];
    await (await ask(proxy, {}, { messages: [{ role: 'user', parts }] })).body?.cancel();
    expect(costs[0]).toBeGreaterThanOrEqual(tokens);
    expect(costs[0]).toBeLessThan(tokens + 200);
  });

  it('the reservation is no more than the context of the model, where it is known', async () => {
    const costs: number[] = [];
    const proxy = proxyOf(gatedModel(1).client, {
      quotas: { ...quotas, costOf: (usage) => (costs.push(usage.inputTokens), 1) },
      limits: { contextTokens: 50 },
    });
    await (await ask(proxy)).body?.cancel();
    expect(costs[0]).toBe(50);
  });

  it('the reservation includes the thoughts that a package adds to the limit of the answer, and writes to a cache', async () => {
    const usages: Usage[] = [];
    const proxy = createInferenceProxy({
      models: [
        {
          id: 'p:m',
          name: 'm',
          provider: 'p',
          client: gatedModel(1).client,
          thinkingTokens: { high: 38_400 },
          price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 6 },
        },
      ],
      quotas: { ...quotas, costOf: (usage) => (usages.push(usage), 1) },
      log: () => undefined,
    });
    const settings = { maxOutputTokens: 1, reasoning: 'high' };
    const request = new Request('http://localhost/v1/inference', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...conversation, settings }),
    });
    await (await proxy.fetch(request)).body?.cancel();
    const [usage = Usage.none()] = usages;
    expect(usage).toMatchObject({ outputTokens: 38_401, cacheWriteTokens: usage.inputTokens });
    expect(usage.cost).toBeCloseTo((usage.inputTokens * 6 + 38_401 * 15) / 1e6, 6);
  });

  it('the reservation returns whole when the provider accepted no request', async () => {
    const failing: InferenceClient = {
      async *stream() {
        yield {
          type: 'error',
          code: 'upstream-rate-limited',
          message: 'no',
          retryable: true,
          retryAfterMs: null,
        };
      },
    };
    const proxy = proxyOf(failing, { quotas, limits });
    for (let at = 0; at < 5; at++) {
      await vi.waitFor(async () => {
        const answer = await ask(proxy);
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('upstream-rate-limited');
      });
    }
  });

  it('the reservation does not return into a later window, which would then exceed its limit', async () => {
    const model = gatedModel(0);
    const store = new RateLimiterMemory({ points: 300, duration: 1 });
    const proxy = proxyOf(model.client, { quotas: { cost: store }, limits });
    const answer = await ask(proxy);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    model.open();
    await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await store.get('cost:ann'))?.consumedPoints ?? 0).toBe(0);
  });
});

describe('a place among the streams', () => {
  it.each([
    ['finishes', async (response: Response, open: () => void) => (open(), void (await response.text()))],
    ['is left by its reader', async (response: Response) => void (await response.body?.cancel())],
  ])('a place among the streams is free again when the stream %s', async (_how, end) => {
    const model = gatedModel(1);
    const proxy = proxyOf(model.client, { quotas: { concurrent: 1 }, limits: { resumeGraceMs: 20 } });
    const first = await ask(proxy);
    expect((await ask(proxy)).status).toBe(429);
    await end(first, model.open);
    await vi.waitFor(async () => expect((await ask(proxy)).status).toBe(200));
  });

  it('a caller that resumes an answer under its key needs no place', async () => {
    const model = gatedModel(1);
    const proxy = proxyOf(model.client, { quotas: { concurrent: 1, requests: { points: 2, seconds: 60 } } });
    const key = { 'idempotency-key': 'k' };
    const first = await ask(proxy, key);
    const others = [await ask(proxy), await ask(proxy)];
    const again = await ask(proxy, key);
    model.open();
    expect([first, ...others, again].map(({ status }) => status)).toEqual([200, 429, 429, 200]);
    expect(await again.text()).toBe(await first.text());
    expect(model.calls()).toBe(1);
    await vi.waitFor(async () => expect((await ask(proxy)).status).toBe(200));
  });

  it('concurrent requests under one key need one place together', async () => {
    const model = gatedModel(1);
    const proxy = proxyOf(model.client, { quotas: { concurrent: 1, requests: { points: 2, seconds: 60 } } });
    const twins = await Promise.all(Array.from({ length: 5 }, () => ask(proxy, { 'idempotency-key': 'k' })));
    model.open();
    expect(twins.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(await Promise.all(twins.map((twin) => twin.text()))).size).toBe(1);
    expect(model.calls()).toBe(1);
    await vi.waitFor(async () => expect((await ask(proxy)).status).toBe(200));
    await vi.waitFor(async () => expect(await codeOf(await ask(proxy))).toBe('quota-exceeded'));
  });

  it('a place is free again after a refusal for another reason', async () => {
    const model = gatedModel(1);
    const quotas = { concurrent: 1, cost: { points: 5, seconds: 60 } };
    const proxy = proxyOf(model.client, { quotas });
    for (let at = 0; at < 3; at++)
      await vi.waitFor(async () => expect(await codeOf(await ask(proxy))).toBe('quota-exceeded'));
  });
});

describe('whoever is over the limit', () => {
  it.each([
    { 'x-forwarded-for': '198.51.100.7' },
    { 'x-real-ip': '198.51.100.7' },
    { 'x-forwarded-for': '2001:db8:0:1::7' },
    { forwarded: 'for=198.51.100.7' },
    { 'cf-connecting-ip': '198.51.100.7' },
    { 'true-client-ip': '198.51.100.7' },
    { 'user-agent': 'another' },
    { cookie: 'id=bob' },
    { 'x-user-id': 'bob' },
    { origin: 'https://chat.example' },
    { 'accept-language': 'de' },
    { 'last-event-id': '9' },
  ])('a principal over the limit is recognised in spite of %j', async (headers) => {
    const model = gatedModel(1);
    model.open();
    const proxy = proxyOf(model.client, { quotas: { requests: { points: 1, seconds: 60 } } });
    expect((await ask(proxy)).status).toBe(200);
    expect((await ask(proxy, headers as Record<string, string>)).status).toBe(429);
    expect((await ask(proxy, { authorization: 'bob' })).status).toBe(200);
  });
});

describe('a limiter that fails', () => {
  const broken: Limiter = {
    points: 1,
    consume: () => Promise.reject(new Error('redis://user:canary@10.0.0.5 is gone')),
    penalty: () => Promise.reject(new Error('gone')),
    reward: () => Promise.reject(new Error('gone')),
    delete: () => Promise.reject(new Error('gone')),
  };

  it.each([
    ['requests', { requests: broken }],
    ['tokens', { cost: broken }],
    ['streams', { concurrent: { max: 3, limiter: broken } }],
  ])('a limiter that fails lets nobody in, and reveals no secrets: %s', async (_what, quotas) => {
    const model = gatedModel(1);
    const answer = await ask(proxyOf(model.client, { quotas }));
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([503, { code: 'quota-unavailable' }]);
    expect(text).not.toContain('canary');
    expect(model.calls()).toBe(0);
  });

  it.each([Number.NaN, -5, Infinity])('a price of %d fails like a limiter', async (price) => {
    const model = gatedModel(1);
    const quotas = { cost: { points: 5, seconds: 60 }, costOf: () => price };
    expect((await ask(proxyOf(model.client, { quotas }))).status).toBe(503);
  });

  it('when it is told of the end harms nobody', async () => {
    const model = gatedModel(1);
    const halfBroken: Limiter = { ...broken, consume: async () => ({ msBeforeNext: 1000 }) };
    const proxy = proxyOf(model.client, {
      quotas: { concurrent: { max: 1, limiter: halfBroken }, cost: { ...halfBroken, points: 10_000 } },
    });
    model.open();
    expect(await (await ask(proxy)).text()).toContain('finish');
  });
});

describe('quotas that are none', () => {
  it.each([
    { requests: { points: 0, seconds: 1 } },
    { requests: { points: 1, seconds: -1 } },
    { cost: { points: Number.NaN, seconds: 1 } },
    { concurrent: 0 },
    { concurrent: 1.5 },
    { concurrent: { max: 3, limiter: limiter(5, 1) } },
  ])('quotas with invalid figures are refused when the proxy is created: %j', (quotas) => {
    const { client } = gatedModel(1);
    expect(() => proxyOf(client, { quotas })).toThrow(/^quotas\./);
  });
});
