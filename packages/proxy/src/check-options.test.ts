import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createInferenceProxy } from './create-inference-proxy.ts';
import type { InferenceProxyOptions } from './inference-proxy.ts';
import { requestListener } from './node/request-listener.ts';
import { offlineModel } from './providers/offline/offline-model.ts';
import { post } from './stream/served.fixture.ts';

const log = (): void => undefined;
const models = [offlineModel({ paceMs: 0 })];
const create = (options: unknown): unknown => createInferenceProxy(options as InferenceProxyOptions);

describe('the options of createInferenceProxy', () => {
  it.each<[unknown, RegExp]>([
    [
      { models, authorise: () => null },
      /no option "authorise"\. Did you mean authorize\? The options are models/,
    ],
    [{ models, port: 80 }, /no option "port"\. The options are/],
    [{ models, authorize: 'me' }, /authorize is "me"\. Give a function/],
    [
      { models: 'openai:gpt-5' },
      /models is "openai:gpt-5"\. Give a list, like modelsFromEnv\(process\.env\)/,
    ],
    [{ models: ['openai:gpt-5'] }, /models\[0\] is "openai:gpt-5", which is no model .* VITRINE_MODELS/],
    [
      { models: [...models, { modelId: 'gpt-5', apiKey: 'sk-secret' }] },
      /models\[1\] is an object, .*fromLanguageModel/,
    ],
    [{ models: [{ id: 'p:m', client: {} }] }, /models\[0\] is an object/],
    [
      { models: [{ ...models[0], price: { input: Number.NaN, output: 1 } }] },
      /models\[0\]\.price holds .* Give/,
    ],
    [{ models: [{ ...models[0], price: { input: 1, output: -1 } }] }, /models\[0\]\.price holds/],
    [
      { models: [{ ...models[0], price: { input: 1, output: 1, above: { tokens: 9, input: 1 } } }] },
      /price holds/,
    ],
    [{ models: null }, /models is object/],
    [{ models: [] }, /give at least one model/],
  ])('the options %j are refused with what to give', (options, sentence) => {
    expect(() => create(options)).toThrow(sentence);
  });

  it('an option that is undefined counts as not given', () => {
    expect(() => create({ models, authorise: undefined })).not.toThrow();
  });

  it('the models and other options come from the environment when no models are given', async () => {
    vi.stubEnv('VITRINE_MODELS', 'demo:offline');
    vi.stubEnv('ALLOWED_HOSTS', 'chat.example');
    onTestFinished(() => void vi.unstubAllEnvs());
    const proxy = createInferenceProxy({ log, models: undefined } as unknown as InferenceProxyOptions);
    const answer = await proxy.fetch(new Request('http://chat.example/v1/models'));
    expect(await answer.json()).toMatchObject({ models: [{ id: 'demo:offline' }] });
    const own = createInferenceProxy({
      models: [{ id: 'p:m', name: 'm', provider: 'p', client: scriptedInference([]) }],
      log,
    });
    expect((await own.fetch(new Request('http://chat.example/v1/models'))).status).toBe(403);
  });
});

describe('a body that was read before the proxy', () => {
  const problem = {
    status: 400,
    code: 'invalid-json',
    detail: expect.stringContaining(
      'was read before the proxy. Mount the proxy before express.json()',
    ) as string,
  };

  it.each([10, 100_000])('the proxy behind a parser of bodies says so for %i characters', async (length) => {
    const listener = requestListener(createInferenceProxy({ models, log }));
    // As express.json() does.
    const server = createServer(async (request, response) => {
      for await (const _chunk of request);
      listener(request, response);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await vi.waitFor(() => expect(server.listening).toBe(true));
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/inference`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(length) }),
    });
    expect(await answer.json()).toMatchObject(problem);
  });

  it('the proxy says so for a Request whose body is used', async () => {
    const request = post();
    await request.json();
    const answer = await createInferenceProxy({ models, log }).fetch(request);
    expect(await answer.json()).toMatchObject(problem);
  });
});
