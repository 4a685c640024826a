import { Message, type InferenceClient } from '@vitrine/core';
import { createInferenceProxy } from '@vitrine/proxy';
import { describe, expect, it, vi } from 'vitest';
import { attacked, canaries, codeOf, conversation, failureOf } from './attacked-proxy.ts';

const withSecrets = {
  cookie: `session=${canaries.cookie}`,
  authorization: `Bearer ${canaries.token}`,
  'x-api-key': canaries.token,
};

describe('a provider that tells its secrets', () => {
  const world = attacked();

  it.each([200, 400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 500, 501, 502, 503, 504, 529])(
    'a provider that answers %d with its secrets reveals them to nobody',
    async (status) => {
      world.provider.answer = { status };
      const answer = await world.ask({}, withSecrets);
      expect(world.provider.sent[0]?.headers.authorization).toContain(canaries.key);
      expect([...answer.headers.keys()].filter((name) => /cookie|openai|ratelimit/.test(name))).toEqual([]);
      expect(failureOf(answer) === null).toBe(status === 200);
      await vi.waitFor(() => expect(world.lines()).toHaveLength(1));
      const { cause } = JSON.parse(world.lines()[0] ?? '') as { cause: string | null };
      // Masked, and nothing of it where all went well.
      expect(cause).toBe(status === 200 ? null : `status ${status}: Wrong key: ••• ${canaries.upstream}`);
    },
  );

  it.each([
    [
      'an error in the stream',
      `data: {"error":{"message":"${canaries.key}","type":"${canaries.upstream}"}}\n\n`,
    ],
    ['no events', `${canaries.key} ${canaries.upstream}`],
    ['broken JSON', `data: {"${canaries.key}\n\n`],
    ['another shape', `data: {"choices":"${canaries.upstream}"}\n\n`],
    ['a comment', `: ${canaries.key}\n\n`],
    ['a page', `<html>${canaries.upstream}</html>`],
  ])('a provider that reveals its secrets by %s reveals them to nobody', async (_how, body) => {
    world.provider.answer = { status: 200, body };
    const answer = await world.ask({}, withSecrets);
    expect(answer.text).not.toBe('');
    expect(answer.text).not.toContain('canary');
  });

  it.each([301, 302, 303, 307, 308])('a redirect of a provider with %d is not followed', async (status) => {
    world.provider.answer = { status, location: `${world.provider.url}/elsewhere?key=${canaries.key}` };
    const answer = await world.ask({}, withSecrets);
    expect(failureOf(answer)).not.toBeNull();
    expect(world.provider.sent.map(({ path }) => path)).toEqual(['/chat/completions']);
  });
});

describe('a request that goes wrong', () => {
  const world = attacked(() => ({ limits: { bodyBytes: 2000, imageBytes: 2000 } }));

  it.each([
    ['broken JSON', `{"messages": "${canaries.prompt}`],
    ['a wrong type', JSON.stringify({ messages: canaries.prompt })],
    ['a wrong role', JSON.stringify({ messages: [{ role: canaries.prompt, parts: [] }] })],
    ['a wrong part', JSON.stringify({ messages: [{ role: 'user', parts: [{ type: canaries.prompt }] }] })],
    ['a wrong setting', JSON.stringify({ ...conversation, settings: { temperature: canaries.prompt } })],
    ['a wrong choice', JSON.stringify({ ...conversation, toolChoice: canaries.prompt })],
    ['a wrong model', JSON.stringify({ ...conversation, model: canaries.prompt })],
    ['too much', JSON.stringify({ messages: [Message.user(canaries.prompt.repeat(100))] })],
  ])('a request that fails by %s leaves no word of it in answer and log', async (_how, body) => {
    const answer = await world.ask(body, withSecrets);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(world.lines()).toHaveLength(1);
    expect(JSON.parse(world.lines()[0] ?? '')).toMatchObject({ outcome: 'refused', cause: null });
  });

  it.each([
    ['GET', '/v1/models'],
    ['GET', '/healthz'],
    ['GET', '/v1/inference/1'],
    ['DELETE', '/v1/inference/1'],
    ['POST', '/v1/inference'],
    ['PATCH', '/v1/inference'],
    ['GET', '/'],
    ['GET', `/v1/inference/${encodeURIComponent(canaries.cookie)}?token=${canaries.token}`],
  ])('no cache keeps the answer of %s %s', async (method, path) => {
    const { headers } = await world.send(path, { method, headers: withSecrets });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('server') ?? headers.get('x-powered-by')).toBeNull();
  });
});

describe('what the application itself throws', () => {
  const thrown = new Error(canaries.thrown);
  const fails = (): never => {
    throw thrown;
  };

  describe('in authorize', () => {
    const world = attacked(() => ({ authorize: fails }));
    it('an error in authorize is revealed to nobody', async () => {
      expect(codeOf(await world.ask({}, withSecrets))).toBe('authorize-failed');
    });
  });

  describe('while it looks up a name', () => {
    const world = attacked(() => ({ resolveHost: fails }));
    it('an error of the name lookup is revealed to nobody', async () => {
      const part = { type: 'file', mediaType: 'image/png', url: 'https://files.example/' };
      expect(
        (await world.ask({ messages: [{ role: 'user', parts: [part] }] })).status,
      ).toBeGreaterThanOrEqual(400);
    });
  });

  describe('in its log', () => {
    const world = attacked(() => ({ log: fails }));
    it('an error in the log changes no answer', async () => {
      expect((await world.ask('{')).status).toBe(400);
      expect((await world.ask()).status).toBe(200);
    });
  });

  it.each<[string, InferenceClient['stream']]>([
    ['before its stream', fails],
    [
      'at the first event',
      async function* () {
        yield await Promise.reject(thrown);
      },
    ],
    [
      'after a word',
      async function* () {
        yield { type: 'text-delta', delta: 'word' };
        throw thrown;
      },
    ],
    [
      'as a text',
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(canaries.thrown) }) }),
    ],
    ['as no stream', () => null as never],
  ])('an error of a model, %s, is shown to no page and ends nothing else', async (_when, stream) => {
    const lines: string[] = [];
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const proxy = createInferenceProxy({
      models: [{ id: 'p:m', name: 'm', provider: 'p', client: { stream } }],
      log: (entry) => lines.push(JSON.stringify(entry)),
    });
    const texts = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await proxy.fetch(
          new Request('http://localhost/v1/inference', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(conversation),
          }),
        );
        return response.text();
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', unhandled);
    for (const text of texts) expect(text).toContain('"code":"upstream-error"');
    expect(texts.join('\n')).not.toContain(canaries.thrown);
    expect(lines).toHaveLength(20);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
