import {
  AgentState,
  createAgentLoop,
  defineAgent,
  type InferenceClient,
  type InferenceEvent,
  type ModelPrice,
  proxyInference,
  Usage,
} from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startUpstream } from '../../../../tests/upstream/upstream.ts';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { memoryLimiter } from '../guard/limiter.ts';
import type { InferenceProxy, InferenceProxyOptions } from '../inference-proxy.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { createStandIns } from '../routes/stand-ins.ts';
import { eventsOf, post, proveRuns } from './served.fixture.ts';
import type { StreamReport } from './stream-report.ts';

/** The behaviour of one model. */
type Behaviour =
  | { readonly kind: 'refuses' | 'breaks'; readonly code: string; readonly begins: boolean }
  | { readonly kind: 'answers'; readonly tokens: number }
  | { readonly kind: 'hangs'; readonly begins: boolean };

const switching = [
  'upstream-rate-limited',
  'upstream-unavailable',
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-quota-exhausted',
  'upstream-unknown-model',
];
const others = ['upstream-invalid-request', 'upstream-unauthorized', 'stream-malformed', 'stream-incomplete'];

const failure = (code: string): InferenceEvent => ({
  type: 'error',
  code,
  message: 'It failed.',
  retryable: true,
  retryAfterMs: null,
  ...(code === 'upstream-timeout' ? {} : { status: 503 }),
});

const usageOf = (tokens: number): Usage => Usage.of({ inputTokens: 10, outputTokens: tokens });

function clientOf(id: string, behaviour: Behaviour, asked: string[]): InferenceClient {
  return {
    async *stream(_request, { signal }) {
      asked.push(id);
      const begins = behaviour.kind === 'answers' || behaviour.begins;
      if (begins) yield { type: 'start', id: null, model: id };
      if (begins) yield { type: 'text-delta', delta: '' };
      if (behaviour.kind === 'hangs')
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
        );
      if (behaviour.kind === 'refuses') return yield failure(behaviour.code);
      yield { type: 'text-delta', delta: `I am ${id}.` };
      if (behaviour.kind === 'breaks') return yield failure(behaviour.code);
      const tokens = behaviour.kind === 'answers' ? behaviour.tokens : 0;
      yield { type: 'finish', finishReason: 'stop', usage: usageOf(tokens) };
    },
  };
}

type Plan = readonly { readonly behaviour: Behaviour; readonly price: ModelPrice }[];

function modelsOf(plan: Plan, asked: string[]): ProxyModel[] {
  const ids = plan.map((_one, at) => `p:m${at}`);
  return plan.map(({ behaviour, price }, at) => ({
    id: ids[at] ?? '',
    name: `m${at}`,
    provider: 'p',
    client: clientOf(ids[at] ?? '', behaviour, asked),
    price,
    ...(at === 0 ? { fallback: ids.slice(1) } : {}),
  }));
}

type Served = {
  readonly events: readonly InferenceEvent[];
  readonly reports: readonly StreamReport[];
  readonly asked: readonly string[];
  readonly points: number;
};

async function served(plan: Plan): Promise<Served> {
  const asked: string[] = [];
  const reports: StreamReport[] = [];
  const cost = memoryLimiter(1e12, 3600);
  const proxy = createInferenceProxy({
    models: modelsOf(plan, asked),
    limits: { firstTokenMs: 2, totalMs: 300 },
    quotas: { cost, costOf: (usage) => Math.ceil((usage.cost ?? NaN) * 1e6) },
    authorize: () => ({ id: 'anna' }),
    log: () => undefined,
    onStreamEnd: (report) => void reports.push(report),
  });
  const events = eventsOf(await (await proxy.fetch(post())).text());
  await proxy.close({ graceMs: 1000 });
  // Points are settled behind the report.
  await new Promise((resolve) => setImmediate(resolve));
  const { consumedPoints = 0 } = (await cost.penalty('cost:anna', 0)) as { consumedPoints?: number };
  return { events, reports, asked, points: consumedPoints };
}

const amount = fc.integer({ min: 1, max: 3000 }).map((cents) => cents / 100);
const code = fc.constantFrom(...switching, ...others);
const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('refuses' as const), code, begins: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('breaks' as const), code, begins: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('answers' as const), tokens: fc.integer({ min: 1, max: 99 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hangs' as const), begins: fc.boolean() }) },
);
const plans = fc.array(fc.record({ behaviour, price: fc.record({ input: amount, output: amount }) }), {
  minLength: 1,
  maxLength: 5,
});

/** The number of models that may be asked, as the rules say it. */
function expectedCalls(plan: Plan): number {
  const most = Math.min(plan.length, 3);
  for (let at = 0; at < most - 1; at++) {
    const one = plan[at]?.behaviour;
    const isSwitch = one?.kind === 'hangs' || (one?.kind === 'refuses' && switching.includes(one.code));
    if (!isSwitch) return at + 1;
  }
  return most;
}

describe('the law of fallbacks', () => {
  it('an answer has one model, nothing switches behind its first content, and the charges are the reported costs', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { events, reports, asked, points } = await served(plan);
        const calls = expectedCalls(plan);
        expect(asked).toEqual(plan.slice(0, calls).map((_one, at) => `p:m${at}`));
        const told = events.filter((event) => event.type === 'switch');
        expect(told.map(({ from, to }) => [from, to])).toEqual(
          asked.slice(1).map((id, at) => [asked[at], id]),
        );
        // All content, and the start, are of the last model that was asked, and stand behind the switches.
        const answered = asked.at(-1);
        const starts = events.filter((event) => event.type === 'start');
        for (const { model } of starts) expect(model).toBe(answered);
        const said = events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : [])).join('');
        expect(['', `I am ${answered}.`]).toContain(said);
        const first = events.findIndex((event) => event.type !== 'switch');
        expect(events.slice(first).some(({ type }) => type === 'switch')).toBe(false);
        expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toHaveLength(1);
        // Each call has its report, in the order of the calls, at the price of its model.
        expect(reports.map(({ model }) => model)).toEqual(asked);
        const costs = reports.map(({ usage }) => Math.ceil((usage.cost ?? NaN) * 1e6));
        expect(points).toBe(costs.reduce((sum, one) => sum + one, 0));
        for (const [at, { usage }] of reports.entries()) {
          const one = plan[at];
          if (one?.behaviour.kind === 'answers')
            expect(usage.cost).toBeCloseTo(
              Usage.withPrice(usageOf(one.behaviour.tokens), one.price).cost ?? NaN,
              9,
            );
          if (
            one?.behaviour.kind === 'refuses' &&
            at < reports.length - 1 &&
            one.behaviour.code !== 'upstream-timeout'
          )
            expect(usage.cost ?? 0).toBe(0);
        }
      }),
      { numRuns: proveRuns(60) },
    );
  });
});

const price = { input: 1, output: 2 };
const answers = (tokens = 3): Plan[number] => ({ behaviour: { kind: 'answers', tokens }, price });
const away: Plan[number] = {
  behaviour: { kind: 'refuses', code: 'upstream-unavailable', begins: true },
  price,
};

function proxyOf(
  models: readonly ProxyModel[],
  options: Partial<InferenceProxyOptions> = {},
): InferenceProxy {
  return createInferenceProxy({ models, allowedHosts: ['localhost'], log: () => undefined, ...options });
}

describe('a fallback', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['itself', ['p:m0'], /fallback of "p:m0" names "p:m0", which is that model itself: remove it/],
    [
      'an unknown model',
      ['p:m9'],
      /names "p:m9", which is not served\. Did you mean p:m\d\? Correct the name/,
    ],
    ['a model twice', ['p:m1', 'p:m1'], /names "p:m1", twice: remove one/],
  ])('a fallback that names %s is refused at the start', (_what, fallback, sentence) => {
    const models = modelsOf([away, answers()], []).map((model, at) =>
      at === 0 ? { ...model, fallback } : model,
    );
    expect(() => proxyOf(models)).toThrow(sentence);
  });

  it('a conversation stays with the model that answered, and the next answers say so', async () => {
    const asked: string[] = [];
    const proxy = proxyOf(modelsOf([away, answers()], asked));
    for (const wanted of [['p:m0', 'p:m1'], ['p:m1']]) {
      asked.length = 0;
      const events = eventsOf(await (await proxy.fetch(post())).text());
      expect(asked).toEqual(wanted);
      expect(events[0]).toMatchObject({
        type: 'switch',
        from: 'p:m0',
        to: 'p:m1',
        code: 'upstream-unavailable',
      });
    }
  });

  it('a stand-in is forgotten after five minutes, and when the asked model answers again', () => {
    let now = 0;
    const standIns = createStandIns(() => now);
    const standIn = { model: 'p:m1', code: 'upstream-unavailable' };
    standIns.keep('anna', 'p:m0', standIn);
    expect(standIns.of('anna', 'p:m0')).toMatchObject(standIn);
    expect([standIns.of('bob', 'p:m0'), standIns.of('anna', 'p:m1')]).toEqual([null, null]);
    now = 300_000;
    expect(standIns.of('anna', 'p:m0')).toBeNull();
    standIns.keep('anna', 'p:m0', standIn);
    standIns.keep('anna', 'p:m0', { ...standIn, model: 'p:m0' });
    expect(standIns.of('anna', 'p:m0')).toBeNull();
    for (let one = 0; one < 11_000; one++) standIns.keep(String(one), 'p:m0', standIn);
    expect(standIns.of('0', 'p:m0')).toBeNull();
    expect(standIns.of('10999', 'p:m0')).toMatchObject(standIn);
  });

  it('a page counts by the price of the model that answered, and its journal has the switch', async () => {
    const proxy = proxyOf(modelsOf([away, { ...answers(5), price: { input: 100, output: 200 } }], []));
    const fetch: typeof globalThis.fetch = (url, init) => proxy.fetch(new Request(url, init));
    const agent = defineAgent({
      name: 'a',
      inference: proxyInference({ url: 'http://localhost', fetch }),
      // A price of the application for the asked model does not count for another one.
      llmConfig: { model: 'p:m0', prices: { 'p:m0': { input: 1, output: 1 } } },
    });
    const state = await createAgentLoop(agent).execute(
      AgentState.withUserMessage(AgentState.create(), 'Hello'),
    );
    const response = AgentState.steps(state)[0]?.inferenceResponse;
    expect(response).toMatchObject({
      model: 'p:m1',
      switches: [{ from: 'p:m0', to: 'p:m1', code: 'upstream-unavailable' }],
    });
    expect(response?.usage.cost).toBeCloseTo((10 * 100 + 5 * 200) / 1e6, 9);
  });

  it('VITRINE_FALLBACK puts a second provider behind a first one, which gets nothing that the first one signed', async () => {
    const [first, second] = [await startUpstream(), await startUpstream()];
    onTestFinished(first.close);
    onTestFinished(second.close);
    first.behave = { kind: 'status', status: 529 };
    const end = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    second.behave = { kind: 'answer', body: `${chunk('Hello')}data: ${end}\n\ndata: [DONE]\n\n`, size: null };
    const models = modelsFromEnv({
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: first.url,
      OPENAI_COMPATIBLE_BASE_URL: second.url,
      VITRINE_MODELS: 'anthropic:claude-sonnet-5-5,openai-compatible:m',
      VITRINE_FALLBACK: 'anthropic:claude-sonnet-5-5 > openai-compatible:m',
    });
    const signed = { anthropic: { signature: 'of-anthropic' }, vitrine: { model: 'claude-sonnet-5-5' } };
    const messages = [
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'I think.', providerMetadata: signed },
          { type: 'text', text: 'Yes?' },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
    ];
    const body = { model: null, messages, tools: [], toolChoice: 'auto', responseFormat: null, settings: {} };
    const request = new Request('http://localhost/v1/inference', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const events = eventsOf(await (await proxyOf(models).fetch(request)).text());
    expect(events[0]).toMatchObject({
      type: 'switch',
      to: 'openai-compatible:m',
      code: 'upstream-unavailable',
    });
    expect(events.at(-1)).toMatchObject({ type: 'finish' });
    expect(first.bodies()[0]).toContain('of-anthropic');
    expect(second.bodies()).toHaveLength(1);
    for (const word of ['of-anthropic', 'vitrine']) expect(second.bodies()[0]).not.toContain(word);
  });

  it.each([
    ['a>b', /VITRINE_FALLBACK has a chain of "a", which is not served\. Served are: openai:gpt-6/],
    ['openai:gpt-6.1-sol', /VITRINE_FALLBACK: "openai:gpt-6\.1-sol" is no chain of models/],
    ['openai:gpt-6.1-sol>', /is no chain of models/],
    ['openai:gpt-6.1-sol>openai:gpt-6.1-sol', /which is that model itself/],
    ['openai:gpt-6.1-sol>openai:gpt-6.1-tera', /not served\. Did you mean openai:gpt-6\.1-terra\?/],
    [
      'openai:gpt-6.1-sol>openai:gpt-6.1-terra,openai:gpt-6.1-sol>x',
      /has two chains of "openai:gpt-6\.1-sol"/,
    ],
  ])('VITRINE_FALLBACK=%s is refused with what to give instead', (chain, sentence) => {
    expect(() => modelsFromEnv({ OPENAI_API_KEY: 'k', VITRINE_FALLBACK: chain })).toThrow(sentence);
  });
});
