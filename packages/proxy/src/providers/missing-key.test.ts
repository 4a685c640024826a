import { createOpenAI, openai } from '@ai-sdk/openai';
import { defineAgent, runAgent } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { describe, expect, it, vi } from 'vitest';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { EnvRecord } from '../kit/env-record.ts';
import { serveFromEnv } from '../node/serve-from-env.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { offlineModel } from './offline/offline-model.ts';

const production = { NODE_ENV: 'production', PORT: '0' };
const looked =
  'No key of a model provider is set. Looked for OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_COMPATIBLE_BASE_URL.';

/** Runs with these variables of the process and no other key. */
async function withProcess<Value>(
  env: EnvRecord,
  run: (warned: readonly unknown[][]) => Value,
): Promise<Awaited<Value>> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    return await run(warn.mock.calls);
  } finally {
    vi.unstubAllEnvs();
    warn.mockRestore();
  }
}

it.each([
  ['OPENAI_API_KEY', 'sk-proj-abc…xyz', 'its character 12 is U+2026'],
  ['ANTHROPIC_API_KEY', 'sk-ant\nabc', 'its character 7 is U+000A'],
  ['GOOGLE_GENERATIVE_AI_API_KEY', 'AIza\u200Bx', 'its character 5 is U+200B'],
])('a key in %s that no header can hold is refused without its text', (variable, key, place) => {
  const read = (): unknown => modelsFromEnv({ [variable]: key });
  expect(read).toThrow(`The key in ${variable} cannot be sent: ${place}`);
  expect(read).not.toThrow(key);
});

it('a key of a model of its own that no header can hold is an error of the key, and is not tried again', async () => {
  const model = createOpenAI({ apiKey: 'sk-proj-abc…xyz', baseURL: 'http://127.0.0.1:1' })('m');
  const agent = defineAgent({ name: 'a', inference: fromLanguageModel(model) });
  const { error } = await runAgent(agent, 'Hi');
  expect(error).toMatchObject({ code: 'upstream-unauthorized', data: { retryable: false } });
  expect(error?.message).toMatch(/holds a character that no header can hold/);
});

describe('a server in production without a key of a provider', () => {
  it.each<[EnvRecord, string]>([
    [{}, `${looked} NODE_ENV is production`],
    [{ OPENAI_API_KY: 'sk-secret' }, `${looked} OPENAI_API_KY is set: did you mean OPENAI_API_KEY?`],
    [{ OPENAI_KEY: 'sk-secret' }, 'OPENAI_KEY is set: did you mean OPENAI_API_KEY?'],
    [{ openai_api_key: 'sk-secret' }, 'openai_api_key is set: did you mean OPENAI_API_KEY?'],
    [{ ANTROPIC_API_KEY: 'sk-secret' }, 'ANTROPIC_API_KEY is set: did you mean ANTHROPIC_API_KEY?'],
    [{ GOOGLE_API_KEY: 'sk-secret' }, 'GOOGLE_API_KEY is set: did you mean GOOGLE_GENERATIVE_AI_API_KEY?'],
    [{ ANTHROPIC_API_KEY: ' ' }, 'ANTHROPIC_API_KEY is empty.'],
  ])('the proxy does not start with %j, and names the missing variable', async (set, sentence) => {
    const env = { ...production, ...set };
    const calls: readonly (() => unknown)[] = [
      () => modelsFromEnv(env),
      () => serveFromEnv(env),
      () => withProcess(env, () => createInferenceProxy()),
    ];
    for (const call of calls) {
      const error = await Promise.resolve()
        .then(call)
        .then(
          () => 'it has started',
          (thrown: unknown) => thrown as Error & { code: string },
        );
      expect(error).toMatchObject({ code: 'agent-invalid', message: expect.stringContaining(sentence) });
      expect(String(error)).not.toContain('sk-secret');
    }
  });

  it('the error names no variable that only shares letters with one of a provider', () => {
    const env = {
      ...production,
      PATH: '/bin',
      API_URL: 'x',
      OPENAI_BASE_URL: 'x',
      GOOGLE_CLOUD_PROJECT: 'x',
    };
    expect(() => modelsFromEnv(env)).toThrow(`${looked} NODE_ENV`);
  });

  it('the variables of the process decide about production when the given ones do not', async () => {
    await withProcess(production, () => expect(() => modelsFromEnv({})).toThrow(looked));
    await withProcess(production, () =>
      expect(modelsFromEnv({ NODE_ENV: 'development' })).toMatchObject([{ id: 'demo:offline' }]),
    );
  });

  it('a production server serves the demo model when it is named', async () => {
    expect(modelsFromEnv({ ...production, VITRINE_MODELS: 'demo:offline' })).toHaveLength(1);
    expect(modelsFromEnv(production, { offline: true })).toHaveLength(1);
    const server = await serveFromEnv(production, { models: [offlineModel()], log: () => undefined });
    expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({
      models: [{ id: 'demo:offline' }],
    });
    await server.close();
  });
});

it.each([
  ['modelsFromEnv', modelsFromEnv],
  ['createInferenceProxy', () => createInferenceProxy()],
])('outside production %s says once that the demo model answers', async (_name, start) => {
  const env = { OPENAI_API_KY: 'sk-secret', NODE_ENV: 'development' };
  await withProcess(env, (warned) => {
    start(env);
    expect(warned).toEqual([
      [
        expect.stringMatching(
          /OPENAI_API_KY is set: did you mean OPENAI_API_KEY\? The offline demo model answers\.$/,
        ),
      ],
    ]);
  });
});

it('an agent whose provider package finds no key fails without another try, with a sentence about the key', async () => {
  const agent = defineAgent({ inference: fromLanguageModel(openai('gpt-5')) });
  const { status, error } = await withProcess({ OPENAI_API_KEY: undefined }, () => runAgent(agent, 'Hello'));
  // One that was tried again would have been stopped by the limit of retries.
  expect(status).toBe('failed');
  expect(error).toMatchObject({
    code: 'upstream-unauthorized',
    message: expect.stringMatching(/^This server has no key for the model provider/),
  });
});
