import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { InferenceProxy } from '../inference-proxy.ts';
import type { EnvRecord } from '../kit/env-record.ts';
import { proxyOptionsFromEnv } from '../proxy-options-from-env.ts';
import { checkProviders } from './check-providers.ts';
import { keptList } from './model-list.ts';
import { modelsFromEnv } from './models-from-env.ts';

type Ollama = {
  readonly url: string;
  /** Answers `GET /v1/models`. */
  list: (response: ServerResponse) => void;
  readonly asked: () => number;
  /** The models that answers were asked of. */
  readonly models: string[];
};

const listing =
  (...names: string[]): Ollama['list'] =>
  (response) =>
    response.end(JSON.stringify({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }));

/** A server with the paths and forms of Ollama's OpenAI API. */
async function startOllama(list: Ollama['list']): Promise<Ollama> {
  let asked = 0;
  const models: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') {
      asked++;
      return ollama.list(response);
    }
    let body = '';
    request.setEncoding('utf8').on('data', (data: string) => (body += data));
    request.on('end', () => {
      models.push((JSON.parse(body) as { model: string }).model);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const end = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      response.end(`${chunk('Hello')}data: ${end}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const ollama: Ollama = { url, list, asked: () => asked, models };
  return ollama;
}

const envOf = ({ url }: Ollama, env: EnvRecord = {}): EnvRecord => ({
  OPENAI_COMPATIBLE_BASE_URL: url,
  OPENAI_COMPATIBLE_NAME: 'ollama',
  ...env,
});
const proxyOf = (env: EnvRecord): InferenceProxy =>
  createInferenceProxy({ models: modelsFromEnv(env), log: () => undefined });

async function idsOf(proxy: InferenceProxy): Promise<string[]> {
  const answer = await proxy.fetch(new Request('http://localhost/v1/models'));
  return ((await answer.json()) as { models: { id: string }[] }).models.map(({ id }) => id);
}

async function ask(proxy: InferenceProxy, model?: string): Promise<string> {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  const answer = await proxy.fetch(
    new Request('http://localhost/v1/inference', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages, ...(model && { model }) }),
    }),
  );
  return answer.text();
}

let warned: readonly (readonly unknown[])[] = [];
beforeEach(() => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  warned = warn.mock.calls;
  return () => warn.mockRestore();
});

describe('a compatible server', () => {
  it('the server is asked for its models at the first need, once, and the first answers by default', async () => {
    const ollama = await startOllama(listing('llama3.2:latest', 'nomic-embed-text:latest', 'qwen3'));
    const proxy = proxyOf(envOf(ollama));
    expect(ollama.asked()).toBe(0);
    expect(await Promise.all([idsOf(proxy), ask(proxy)])).toEqual([
      ['ollama:llama3.2:latest', 'ollama:qwen3'],
      expect.stringContaining('Hello'),
    ]);
    expect(await ask(proxy, 'ollama:qwen3')).toContain('Hello');
    expect(await ask(proxy, 'ollama:llama3.3')).toContain('ollama:llama3.2:latest, ollama:qwen3');
    expect(ollama.models).toEqual(['llama3.2:latest', 'qwen3']);
    expect([ollama.asked(), warned]).toEqual([1, []]);
  });

  it('the name of the server is the prefix of its models, and its provider stays one', async () => {
    const ollama = await startOllama(listing());
    const named = envOf(ollama, { VITRINE_MODELS: 'ollama:llama3.2,openai-compatible:qwen3:8b' });
    const proxy = proxyOf(named);
    expect(await idsOf(proxy)).toEqual(['ollama:llama3.2', 'openai-compatible:qwen3:8b']);
    expect(await ask(proxy)).toContain('Hello');
    expect(await ask(proxy, 'openai-compatible:qwen3:8b')).toContain('Hello');
    expect([ollama.models, ollama.asked()]).toEqual([['llama3.2', 'qwen3:8b'], 0]);
    expect(() => modelsFromEnv(envOf(ollama, { VITRINE_MODELS: 'olama:m' }))).toThrow(
      /"olama:m" .*\(ollama\)/,
    );
    const taken = { OPENAI_COMPATIBLE_NAME: 'openai', OPENAI_API_KEY: 'k' };
    expect(() => modelsFromEnv(envOf(ollama, taken))).toThrow(
      /OPENAI_COMPATIBLE_NAME is "openai", which another/,
    );
  });

  it.each<[string, Ollama['list'], string]>([
    ['has no models', listing(), 'lists no models'],
    ['says null', (response) => response.end('{"object":"list","data":null}'), 'lists no models'],
    ['has no list', (response) => response.writeHead(404).end(), 'does not list its models (status 404)'],
    ['breaks off', (response) => response.destroy(), 'cannot be asked for its models'],
    [
      'sends too much',
      (response) => response.end(`{"data":["${'x'.repeat(5_000_000)}"]}`),
      'cannot be asked for its models',
    ],
  ])('a server that %s offers one model, with a warning that says what to set', async (_how, list, why) => {
    const ollama = await startOllama(list);
    const proxy = proxyOf(envOf(ollama));
    expect(await idsOf(proxy)).toEqual(['ollama:llama3.3']);
    expect(await ask(proxy)).toContain('Hello');
    expect(warned).toEqual([
      [
        `The server of OPENAI_COMPATIBLE_BASE_URL ${why}, so only ollama:llama3.3 is offered. Check that it runs at this address, or name its models: VITRINE_MODELS=ollama:llama3.3,….`,
      ],
    ]);
  });

  it('a server that does not answer is waited for as long as its signal allows', async () => {
    const ollama = await startOllama(() => undefined);
    const deadline = new AbortController();
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    const ids = idsOf(proxyOf(envOf(ollama)));
    await vi.waitFor(() => expect(ollama.asked()).toBe(1));
    deadline.abort();
    expect(await ids).toEqual(['ollama:llama3.3']);
    expect(timeouts.mock.calls).toEqual([[3000]]);
    timeouts.mockRestore();
  });

  it('prices apply to listed models, and a quota of cost needs named ones', async () => {
    const ollama = await startOllama(listing('llama3.2'));
    const [model] = modelsFromEnv(envOf(ollama, { VITRINE_PRICES: 'ollama:llama3.2=1/2' }));
    expect(await model?.list?.()).toMatchObject([{ id: 'ollama:llama3.2', price: { input: 1, output: 2 } }]);
    expect(() => modelsFromEnv(envOf(ollama, { VITRINE_PRICES: 'llama3.2=1/2' }))).toThrow(/is not served/);
    vi.stubEnv('VITRINE_QUOTA_COST', '1/day');
    for (const [name, value] of Object.entries(envOf(ollama, { VITRINE_PRICES: 'ollama:llama3.2=1/2' })))
      vi.stubEnv(name, value);
    expect(() => proxyOptionsFromEnv()).toThrow(/VITRINE_QUOTA_COST is set, .* set VITRINE_MODELS/);
    vi.unstubAllEnvs();
  });

  it('the check of providers reports a refused key, and no missing model', async () => {
    const ollama = await startOllama(listing('qwen3'));
    const env = envOf(ollama, { OPENAI_COMPATIBLE_API_KEY: 'k' });
    expect(await checkProviders(env, modelsFromEnv(env))).toEqual([]);
    ollama.list = (response) => response.writeHead(401).end();
    expect(await checkProviders(env, modelsFromEnv(env))).toHaveLength(1);
  });
});

it('a kept list is renewed while the old one is served, and a failure is tried again soon', async () => {
  let time = 0;
  let answer: readonly string[] | null = null;
  let asked = 0;
  const list = keptList(
    async () => {
      asked++;
      return answer;
    },
    () => time,
  );
  expect([await list(), await list(), asked]).toEqual([null, null, 1]);
  time += 6000;
  answer = ['a'];
  expect([await list(), await list(), asked]).toEqual([['a'], ['a'], 2]);
  time += 31_000;
  answer = ['b'];
  expect(await list()).toEqual(['a']);
  expect(await list()).toEqual(['b']);
  time += 31_000;
  answer = null;
  await list();
  expect([await list(), asked]).toEqual([['b'], 4]);
});
