import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  AgentState,
  defineAgent,
  type InferenceClient,
  proxyInference,
  runAgent,
  Usage,
} from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunk } from '../../../tests/upstream/chat-chunk.ts';
import { request } from '../../../tests/upstream/plain-request.ts';
import { type Behaviour, startUpstream, type Upstream } from '../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from './create-inference-proxy.ts';
import { guardedCalls } from './guarded-calls.ts';
import { modelsFromEnv } from './providers/models-from-env.ts';
import { post } from './stream/served.fixture.ts';

/** The usage of a call: what was reserved for it, and what was counted in the end. */
type Counted = { readonly reserved: Usage; readonly counted: Usage };

/** Asks the model of a provider at this address, whose usage `costOf` counts. */
type Way = (url: string, costOf: (usage: Usage) => number) => Promise<void>;

const quota = { points: 1_000_000, seconds: 60 };
const key = 'a-key-of-the-provider';

function modelAt(url: string, more: Record<string, string> = {}): InferenceClient {
  const env = { OPENAI_COMPATIBLE_BASE_URL: url, VITRINE_MODELS: 'openai-compatible:m', ...more };
  const [model] = modelsFromEnv(env);
  return model!.client;
}

function ownModel(baseURL: string): InferenceClient {
  return fromLanguageModel(createOpenAICompatible({ name: 'own', baseURL }).chatModel('m'));
}

async function throughProxy(client: InferenceClient, costOf: (usage: Usage) => number): Promise<void> {
  let resolve: () => void = () => undefined;
  const ended = new Promise<void>((onEnd) => (resolve = onEnd));
  const proxy = createInferenceProxy({
    models: [{ id: 'p:m', name: 'm', provider: 'p', client }],
    log: () => undefined,
    quotas: { cost: quota, costOf },
    onStreamEnd: () => resolve(),
  });
  await (await proxy.fetch(post())).text();
  await ended;
}

async function throughAgents(client: InferenceClient, costOf: (usage: Usage) => number): Promise<void> {
  const { signal } = new AbortController();
  const guarded = guardedCalls({ cost: quota, costOf }).client(client, {
    payer: () => ({ principal: 'anna', price: null }),
    onError: () => undefined,
  });
  for await (const { type } of guarded.stream(request, { signal })) if (type === 'error') break;
}

const ways: Readonly<Record<string, Way>> = {
  'the proxy without a key': (url, costOf) => throughProxy(modelAt(url), costOf),
  'the proxy with a key of the environment': (url, costOf) =>
    throughProxy(modelAt(url, { OPENAI_COMPATIBLE_API_KEY: key }), costOf),
  'the proxy with a model of its own': (url, costOf) => throughProxy(ownModel(url), costOf),
  'the server of agents': (url, costOf) =>
    throughAgents(modelAt(url, { OPENAI_COMPATIBLE_API_KEY: key }), costOf),
};

async function countedOn(way: Way, url: string): Promise<Counted> {
  const seen: Usage[] = [];
  await way(url, (usage) => (seen.push(usage), usage.totalTokens));
  return { reserved: seen[0]!, counted: seen.at(-1)! };
}

type Share = 'nothing' | 'the input' | 'the input and what came' | 'the reservation';

const said = 'Half an answer';

function tokensOf(share: Share, { inputTokens, outputTokens }: Usage): readonly [number, number] {
  if (share === 'nothing') return [0, 0];
  if (share === 'the reservation') return [inputTokens, outputTokens];
  return [inputTokens, share === 'the input' ? 0 : Math.ceil(said.length / 3)];
}

const inBand = (error: object): string =>
  `data: ${JSON.stringify({ error: { message: 'It failed.', ...error } })}\n\n`;
const serverError = inBand({ type: 'server_error' });
const stop = 'data: {"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const faults: readonly (readonly [string, Behaviour, Share])[] = [
  ['a connection that is cut before the first event', { kind: 'cut', body: '' }, 'the input'],
  ['a connection that is cut later', { kind: 'cut', body: chunk(said) }, 'the input and what came'],
  ['an error in the place of an answer', { kind: 'answer', body: serverError, size: null }, 'the input'],
  ...[{ code: 500 }, { code: '500', type: 'server_error' }, { status: 500 }, { code: 520 }].map(
    (error) =>
      [
        `an error in the place of an answer with ${JSON.stringify(error)}`,
        { kind: 'answer', body: inBand(error), size: null },
        'the input',
      ] as const,
  ),
  ...[{ code: 503 }, { code: '429' }, { type: 'overloaded_error' }, { code: 'rate_limit_exceeded' }].map(
    (error) =>
      [
        `a refusal in the place of an answer with ${JSON.stringify(error)}`,
        { kind: 'answer', body: inBand(error), size: null },
        'nothing',
      ] as const,
  ),
  ...[serverError, inBand({ code: 503 })].map(
    (error) =>
      [
        `an error in an answer, ${error.trim()}`,
        { kind: 'answer', body: chunk(said) + error, size: null },
        'the input and what came',
      ] as const,
  ),
  [
    'an answer without usage',
    { kind: 'answer', body: `${chunk(said)}${stop}data: [DONE]\n\n`, size: null },
    'the reservation',
  ],
  [
    'an answer that ends without a last event',
    { kind: 'answer', body: chunk(said), size: null },
    'the reservation',
  ],
];

/** Statuses of a server that is away or busy, and of a network or gateway that did not reach it. */
const unreached = [502, 503, 504, 511, 521, 523, 525, 526, 529, 530];

function shareOfStatus(status: number): Share {
  return status < 500 || unreached.includes(status) ? 'nothing' : 'the input';
}

/** An address at which nothing listens, or whose server breaks every connection that sends something. */
async function brokenServer(isThere: boolean): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (!isThere) await new Promise((resolve) => server.close(resolve));
  return { url, close: () => server.close() };
}

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe.each(Object.entries(ways))('a failed call over %s', (_name, way) => {
  const isCharged = async (share: Share, url = upstream.url): Promise<void> => {
    const { reserved, counted } = await countedOn(way, url);
    expect([counted.inputTokens, counted.outputTokens]).toEqual(tokensOf(share, reserved));
  };

  it('a call that is refused by a status, or by a server that is away, costs nothing, and any other status the input', async () => {
    for (let status = 400; status < 600; status++) {
      upstream.behave = { kind: 'status', status };
      const { reserved, counted } = await countedOn(way, upstream.url);
      expect([status, counted.inputTokens, counted.outputTokens]).toEqual([
        status,
        ...tokensOf(shareOfStatus(status), reserved),
      ]);
    }
  });

  it.each(faults)('%s is counted by what the provider had taken and given', async (_fault, behave, share) => {
    upstream.behave = behave;
    await isCharged(share);
  });

  it('a call to an address at which nothing listens, or that has no name, costs nothing', async () => {
    const { url } = await brokenServer(false);
    await isCharged('nothing', url);
    await isCharged('nothing', 'http://nobody.invalid');
  });

  it('a connection that is reset before an answer costs the input', async () => {
    const server = await brokenServer(true);
    await isCharged('the input', server.url);
    server.close();
  });
});

it('the run of a page counts nothing exactly when the proxy counts nothing', async () => {
  const tokensOfRun = async (behave: Behaviour): Promise<readonly [number, number]> => {
    upstream.behave = behave;
    const counted: number[] = [];
    const proxy = createInferenceProxy({
      models: [{ id: 'p:m', name: 'm', provider: 'p', client: modelAt(upstream.url) }],
      log: () => undefined,
      onStreamEnd: ({ usage }) => counted.push(usage.totalTokens),
    });
    const fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
      proxy.fetch(new Request(url, init));
    const inference = proxyInference({ url: 'http://localhost', fetch });
    const agent = defineAgent({ name: 'a', inference, retry: { maxAttempts: 1 } });
    const { state } = await runAgent(agent, 'Hi');
    return [AgentState.usage(state).totalTokens, counted.at(-1) ?? 0];
  };
  for (const status of [400, 401, 404, 408, 429, 500, 501, 502, 503, 504, 520, 529]) {
    const [ofRun, ofProxy] = await tokensOfRun({ kind: 'status', status });
    expect([status, ofRun === 0]).toEqual([status, ofProxy === 0]);
  }
  for (const [name, behave] of faults) {
    const [ofRun, ofProxy] = await tokensOfRun(behave);
    expect([name, ofRun === 0]).toEqual([name, ofProxy === 0]);
  }
});

it('an error that says the provider failed is free only with the status of one that is away', () => {
  const isFree = (status?: number): boolean =>
    Usage.isFree({ type: 'error', code: 'upstream-unavailable', ...(status !== undefined && { status }) });
  expect([undefined, 500, 501, 520, 522, 524].filter(isFree)).toEqual([]);
  expect(unreached.filter((status) => !isFree(status))).toEqual([]);
});
