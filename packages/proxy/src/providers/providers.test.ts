import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { checkVariables } from '../guard/options-from-env.ts';
import { limitVariables } from '../guard/limits.ts';
import { streamLimitVariables } from '../stream/stream-limits.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { providers } from './providers.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe.each(providers.map((provider) => [provider.id, provider] as const))('%s', (id, provider) => {
  const variable = provider.variables[provider.requires] ?? '';

  it('a provider is used when its required variable is set, and its first model is the default', () => {
    const models = modelsFromEnv({ [variable]: 'https://set.example' });
    expect(models.map((model) => model.id)).toEqual(provider.defaults.map((name) => `${id}:${name}`));
    expect(models[0]).toMatchObject({ provider: id, name: provider.defaults[0] });
  });

  it('a provider is not used when its required variable is empty', () => {
    const others = Object.values(provider.variables).filter((name) => name !== variable);
    const env = Object.fromEntries([[variable, ''], ...others.map((name) => [name, 'https://set.example'])]);
    expect(modelsFromEnv(env).map((model) => model.id)).toEqual(['demo:offline']);
  });

  it('a provider treats empty variables, as in a copy of .env.example, as not set', async () => {
    const asked = vi.fn<typeof fetch>(async () => new Response('{}', { status: 500 }));
    vi.stubGlobal('fetch', asked);
    const empty = Object.fromEntries(Object.values(provider.variables).map((name) => [name, '']));
    const [model] = modelsFromEnv({ ...empty, [variable]: 'https://set.example' });
    for await (const _event of model?.client.stream(request, { signal: AbortSignal.timeout(5000) }) ?? []);
    vi.unstubAllGlobals();
    const [url, init] = asked.mock.lastCall ?? [];
    expect(String(url)).toMatch(/^https:\/\/[a-z.]+\//);
    expect(new Headers(init?.headers).get('authorization')).not.toBe('Bearer ');
  });

  it('a provider is called at the address and with the key of the environment', async () => {
    upstream.behave = { kind: 'status', status: 401 };
    const { apiKey = '', baseURL = '' } = provider.variables;
    const [model] = modelsFromEnv({
      [apiKey]: `key-of-${id}`,
      [baseURL]: upstream.url,
      VITRINE_MODELS: `${id}:one`,
    });
    const events = [];
    for await (const event of model?.client.stream(request, { signal: AbortSignal.timeout(5000) }) ?? [])
      events.push(event);
    expect(upstream.authorizations().at(-1)).toContain(`key-of-${id}`);
    expect(events).toMatchObject([{ type: 'error', code: 'upstream-unauthorized' }]);
  });
});

describe('the environment', () => {
  it('the environment names models of configured providers, or gets a message about the mistake', () => {
    const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
    const models = modelsFromEnv({ ...env, VITRINE_MODELS: ' anthropic:a:1 , openai:b,' });
    expect(models.map((model) => model.id)).toEqual(['anthropic:a:1', 'openai:b']);
    expect(() => modelsFromEnv({ ...env, VITRINE_MODELS: 'google:g' })).toThrow(
      /"google:g" is not .*\(openai, anthropic\)/,
    );
  });

  it('the environment cannot name a model without the key of its provider, except the offline one', () => {
    expect(() => modelsFromEnv({ VITRINE_MODELS: 'openai:gpt-5' })).toThrow(
      /"openai:gpt-5" is not .*\(none is\). Set that provider's key/,
    );
    const [offline, ...more] = modelsFromEnv({ VITRINE_MODELS: 'demo:offline' });
    expect([offline?.id, more]).toEqual(['demo:offline', []]);
  });

  it('the environment may contain blanks and repeated models', () => {
    const blank = { ANTHROPIC_API_KEY: ' ', OPENAI_BASE_URL: ' \n', VITRINE_REASONING: ' low ' };
    const models = modelsFromEnv({ ...blank, OPENAI_API_KEY: 'k\n', VITRINE_MODELS: 'openai:a, openai:a' });
    expect(models.map(({ id }) => id)).toEqual(['openai:a']);
    expect(modelsFromEnv(blank).map(({ id }) => id)).toEqual(['demo:offline']);
  });

  it('the environment sets the reasoning level of models that support it, and pages see which do, and the files of each', async () => {
    const env = {
      OPENAI_API_KEY: 'k',
      VITRINE_MODELS: 'openai:gpt-5,openai:gpt-4o',
      VITRINE_REASONING: 'low',
    };
    const models = modelsFromEnv(env);
    expect(models.map(({ settings }) => settings)).toEqual([{ reasoning: 'low' }, undefined]);
    const proxy = createInferenceProxy({ models, log: () => undefined });
    const answer = await proxy.fetch(new Request('http://localhost/v1/models'));
    const accepts = ['text/*', 'image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];
    expect(await answer.json()).toEqual({
      models: [
        {
          id: 'openai:gpt-5',
          name: 'gpt-5',
          provider: 'openai',
          default: true,
          reasoning: ['off', 'low', 'medium', 'high'],
          accepts,
          price: { input: 1.25, output: 10, cacheRead: 0.125 },
        },
        {
          id: 'openai:gpt-4o',
          name: 'gpt-4o',
          provider: 'openai',
          default: false,
          accepts,
          price: { input: 2.5, output: 10, cacheRead: 1.25 },
        },
      ],
    });
    expect(() => modelsFromEnv({ ...env, VITRINE_REASONING: 'much' })).toThrow(
      /"much"; give one of off, low/,
    );
  });

  it('the environment is described in .env.example, with every variable of every provider and no others', () => {
    const described = readFileSync('.env.example', 'utf8').match(/^[A-Z_]+(?==)/gm) ?? [];
    const ofServer = [
      ...Object.values(limitVariables),
      'ALLOWED_ORIGINS',
      'ALLOWED_FILE_HOSTS',
      'VITRINE_MODELS',
      'VITRINE_REASONING',
      'VITRINE_CACHE',
      'VITRINE_PRICES',
      'VITRINE_FALLBACK',
      'VITRINE_QUOTA_REQUESTS',
      'VITRINE_QUOTA_TOKENS',
      'VITRINE_QUOTA_COST',
      'VITRINE_QUOTA_CONCURRENT',
      'VITRINE_JWKS_URL',
      'VITRINE_JWT_ISSUER',
      'VITRINE_JWT_AUDIENCE',
      'VITRINE_STREAM_LOG',
      'VITRINE_SESSIONS',
      'HOST',
      'PORT',
      'ALLOWED_HOSTS',
      'VITRINE_DEMO_PACE_MS',
      'VITRINE_DEMO_DATA',
      'VITRINE_DEMO_PAGE',
      'VITRINE_SHUTDOWN_GRACE_MS',
      'LOG_LEVEL',
      'METRICS_TOKEN',
    ];
    const ofProviders = providers.flatMap((provider) => Object.values(provider.variables));
    const all = [...ofProviders, ...ofServer, ...Object.values(streamLimitVariables)];
    expect(described.toSorted()).toEqual(all.toSorted());
    // The check for unknown names knows every variable of the example.
    expect(() => checkVariables(Object.fromEntries(described.map((name) => [name, ''])))).not.toThrow();
  });

  it('the environment of the example, with nothing filled in, serves the offline model', () => {
    const lines = readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
    const env = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    expect(modelsFromEnv(env).map((model) => model.id)).toEqual(['demo:offline']);
  });
});

describe('prices of VITRINE_PRICES', () => {
  const env = { OPENAI_API_KEY: 'k', VITRINE_MODELS: 'openai:a,openai:b' };
  const pricesOf = (text: string): unknown =>
    modelsFromEnv({ ...env, VITRINE_PRICES: text }).map(({ price }) => price);

  it('prices of VITRINE_PRICES apply to the models that they name', () => {
    expect(pricesOf('openai:a=1.25/10/0.125 , openai:b = 0.3 / 2.5,')).toEqual([
      { input: 1.25, output: 10, cacheRead: 0.125 },
      { input: 0.3, output: 2.5 },
    ]);
    expect(pricesOf('openai:a=3/15/0.3/3.75')).toEqual([
      { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      undefined,
    ]);
    expect(pricesOf('openai:a=1/5/0.1/1.25/2 > 100000 : 2/7.5')).toEqual([
      {
        input: 1,
        output: 5,
        cacheRead: 0.1,
        cacheWrite: 1.25,
        cacheWriteHour: 2,
        above: { tokens: 100_000, input: 2, output: 7.5 },
      },
      undefined,
    ]);
    expect(pricesOf('openai:b=0/0')).toEqual([undefined, { input: 0, output: 0 }]);
    expect(pricesOf('')).toEqual([undefined, undefined]);
  });

  it.each([
    'openai:a',
    'openai:a=',
    'openai:a=1',
    'openai:a=1/',
    'openai:a=1/2/3/4/5/6',
    'openai:a=1/-2',
    'openai:a=1/2>9',
    'openai:a=1/2>9:3',
    'openai:a=1/2>-9:3/4',
    '=1/2',
    'openai:a=1.2.3/4',
  ])('prices of VITRINE_PRICES that are invalid are refused by name: %s', (entry) => {
    expect(() => pricesOf(entry)).toThrow(`VITRINE_PRICES: ${JSON.stringify(entry)} is not`);
  });
});
