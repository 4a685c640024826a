import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Behaviour, startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import type { EnvRecord } from '../kit/env-record.ts';
import { checkProviders } from './check-providers.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { nearestNames } from '../kit/text.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const key = 'canary-key';
const check = (env: EnvRecord): Promise<string[]> => checkProviders(env, modelsFromEnv(env));
const openai = (models = 'openai:gpt-5-mini'): EnvRecord => ({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: upstream.url,
  VITRINE_MODELS: models,
});
const listing = (...ids: string[]): Behaviour => ({
  kind: 'status',
  status: 200,
  body: JSON.stringify({ data: ids.map((id) => ({ id })) }),
});
const status = (code: number, body = ''): Behaviour => ({ kind: 'status', status: code, body });

describe('a provider that is asked once', () => {
  it('a check with a valid key and known models reports nothing', async () => {
    upstream.behave = listing('gpt-5-mini', 'gpt-5');
    expect(await check(openai())).toEqual([]);
    expect(upstream.authorizations().at(-1)).toBe(`Bearer ${key}`);
    expect(await check({})).toEqual([]);
  });

  it.each([
    ['OPENAI', 'openai:m', `Bearer ${key}`],
    ['ANTHROPIC', 'anthropic:m', key],
    ['GOOGLE_GENERATIVE_AI', 'google:m', key],
    ['OPENAI_COMPATIBLE', 'openai-compatible:m', `Bearer ${key}`],
  ])(
    'a check sends the key of the variables %s_… and reports when it is refused',
    async (prefix, model, sent) => {
      upstream.behave = status(401);
      const env = {
        [`${prefix}_API_KEY`]: key,
        [`${prefix}_BASE_URL`]: `${upstream.url}/`,
        VITRINE_MODELS: model,
      };
      expect(await check(env)).toEqual([
        `${model.split(':')[0]} refuses the key of this server (status 401): set a valid one (${prefix}_API_KEY).`,
      ]);
      expect(upstream.authorizations().at(-1)).toBe(sent);
    },
  );

  it('a wrong key that the provider calls a bad request is reported as well', async () => {
    upstream.behave = status(400, '{"error":{"message":"API key not valid."}}');
    expect((await check(openai()))[0]).toContain('refuses the key');
  });

  it('a model that the provider does not list is reported with the nearest names', async () => {
    upstream.behave = listing('gpt-5-mini', 'gpt-5', 'whisper-1', 'claude-sonnet-4-5-20250929');
    expect(await check(openai('openai:gpt-5-mni,openai:claude-sonnet-4-5,openai:zzzzzzzzzzzzzz'))).toEqual([
      'openai does not list the model "gpt-5-mni": correct VITRINE_MODELS. The nearest: gpt-5-mini, gpt-5.',
      'openai does not list the model "zzzzzzzzzzzzzz": correct VITRINE_MODELS.',
    ]);
  });

  it("a list of models in Google's format is understood", async () => {
    upstream.behave = status(200, JSON.stringify({ models: [{ name: 'models/gemini-2.5-pro' }] }));
    const env = { GOOGLE_GENERATIVE_AI_API_KEY: key, GOOGLE_GENERATIVE_AI_BASE_URL: upstream.url };
    expect(await check({ ...env, VITRINE_MODELS: 'google:gemini-2.5-pro' })).toEqual([]);
    expect(await check({ ...env, VITRINE_MODELS: 'google:gemini-2.5-prp' })).toHaveLength(1);
  });

  it.each<[string, Behaviour, string]>([
    ['hangs', { kind: 'hang' }, 'openai cannot be reached: see that this machine may reach it'],
    ['breaks off', { kind: 'cut', body: '{"data":[' }, 'openai cannot be reached'],
    [
      'has nothing there',
      status(404),
      'openai has nothing at this address: see its base URL (OPENAI_BASE_URL).',
    ],
    ['fails', status(503), 'openai answers with status 503, so its key could not be checked.'],
    ['sends elsewhere', { ...status(307), headers: { location: '/' } } as Behaviour, 'status 307'],
  ])('a provider that %s is reported in one sentence', async (_how, behave, sentence) => {
    upstream.behave = behave;
    const deadline = new AbortController();
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    const checking = check(openai());
    // The deadline passes as soon as the provider has the request that it leaves open.
    if (behave.kind === 'hang') {
      await vi.waitFor(() => expect(upstream.open()).toBe(1));
      deadline.abort();
    }
    const said = await checking;
    expect(timeouts.mock.calls).toEqual([[3000]]);
    timeouts.mockRestore();
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(sentence);
    expect(said[0]).not.toContain(key);
  });

  it('a gateway that cannot list its models is accepted', async () => {
    upstream.behave = status(404);
    expect(await check({ OPENAI_COMPATIBLE_BASE_URL: upstream.url })).toEqual([]);
    upstream.behave = status(200, '<html>');
    expect(await check({ OPENAI_COMPATIBLE_BASE_URL: upstream.url })).toEqual([]);
  });
});

it('the nearest name among several is found', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), fc.nat(), (names, at) => {
      const name = names[at % names.length] ?? '';
      expect(nearestNames(name, names)[0]).toBe(name);
    }),
  );
});
