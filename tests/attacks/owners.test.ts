import { scriptedInference } from '@vitrine/testing';
import { createInferenceProxy, type InferenceProxy, type Principal } from '@vitrine/proxy';
import { beforeEach, describe, expect, it } from 'vitest';
import { conversation } from './attacked-proxy.ts';

const principals: Readonly<Record<string, Principal>> = {
  ann: { id: 'ann' },
  bob: { id: 'bob', models: ['p:small'], limits: { bodyBytes: 500 } },
  nobody: { id: '' },
};

let proxy: InferenceProxy;
beforeEach(() => {
  const client = scriptedInference([{ text: 'abcdefgh', chunks: 8, delayMs: 5 }]);
  proxy = createInferenceProxy({
    models: ['small', 'large'].map((name) => ({ id: `p:${name}`, name, provider: 'p', client })),
    defaultModel: 'p:large',
    authorize(request) {
      const who = request.headers.get('authorization') ?? '';
      if (who === 'throws') throw new Error('canary of the sign-in');
      if (who === 'rejects') return Promise.reject(new Error('canary of the sign-in'));
      return principals[who] ?? (who === '' ? null : (JSON.parse(who) as Principal));
    },
    log: () => undefined,
  });
});

const send = (who: string, method: string, path: string, more: object | null = null): Promise<Response> =>
  proxy.fetch(
    new Request(`https://chat.example/v1/${path}`, {
      method,
      headers: { authorization: who, 'content-type': 'application/json' },
      ...(more === null ? {} : { body: JSON.stringify({ ...conversation, ...more }) }),
    }),
  );

async function begin(who: string): Promise<{ readonly id: string; readonly response: Response }> {
  const response = await send(who, 'POST', 'inference', {});
  return { id: response.headers.get('x-inference-id') ?? '', response };
}

const told = async (response: Response): Promise<object> => ({
  status: response.status,
  // Every request has an id of its own.
  text: (await response.text()).replace(/"requestId":"[^"]*"/, ''),
});

describe('a stream', () => {
  it.each(['GET', 'HEAD', 'DELETE'])(
    'a stream of another principal is answered to %s like an unknown one',
    async (method) => {
      const { id, response } = await begin('ann');
      const missing = id.replace(/^./, (first) => (first === '0' ? '1' : '0'));
      const foreign = await told(await send('bob', method, `inference/${id}`));
      expect(foreign).toEqual(await told(await send('bob', method, `inference/${missing}`)));
      expect(foreign).toMatchObject({ status: 404 });
      expect(await response.text()).toContain('"finish"');
    },
  );

  it.each(['GET', 'DELETE'])('a principal may %s its own stream', async (method) => {
    const { id, response } = await begin('ann');
    const answer = await send('ann', method, `inference/${id}`);
    expect(answer.status).toBe(method === 'GET' ? 200 : 204);
    await Promise.all([answer.text(), response.text()]);
  });

  it('a stream has an id that cannot be guessed', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await begin('ann')).id));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it.each([
    '..',
    '../models',
    '%2e%2e',
    '__proto__',
    'constructor',
    '0',
    '%00',
    'undefined',
    '[object Object]',
    "' or 1=1 --",
    '*',
    'a'.repeat(5000),
  ])('%j is there for nobody', async (id) => {
    for (const method of ['GET', 'DELETE']) {
      const { status } = await send('ann', method, `inference/${id}`);
      // An address that is not that of a stream may be another's that only reads.
      expect(status === 404 || (method === 'GET' && id.includes('models')), `${method} ${status}`).toBe(true);
    }
  });
});

describe('whoever is nobody', () => {
  it.each([
    ['GET', 'models'],
    ['POST', 'inference'],
    ['GET', 'inference/1'],
    ['HEAD', 'inference/1'],
    ['DELETE', 'inference/1'],
    ['PUT', 'inference'],
    ['GET', 'anything'],
  ])('a caller without a sign-in is told by %s %s to sign in, and nothing else', async (method, path) => {
    const response = await send('', method, path, method === 'POST' ? {} : null);
    expect(response.status).toBe(401);
  });

  it.each([
    ['throws', 503, 'authorize-failed'],
    ['rejects', 503, 'authorize-failed'],
    ['true', 500, 'authorize-invalid'],
    ['1', 500, 'authorize-invalid'],
    ['"ann"', 500, 'authorize-invalid'],
    ['{}', 500, 'authorize-invalid'],
    ['{"id":1}', 500, 'authorize-invalid'],
    ['{"id":null}', 500, 'authorize-invalid'],
    ['{"id":"eve","models":"p:large"}', 500, 'authorize-invalid'],
    ['{"id":"eve","limits":null}', 500, 'authorize-invalid'],
    ['{"id":"eve","limits":{"bodyBytes":-1}}', 500, 'authorize-invalid'],
    ['{"id":"eve","limits":{"maxOutputTokens":"9"}}', 500, 'authorize-invalid'],
    ['nobody', 500, 'authorize-invalid'],
    ['false', 500, 'authorize-invalid'],
  ])('a sign-in that does the following lets nobody in: %s', async (who, status, code) => {
    const response = await send(who, 'GET', 'models');
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toMatchObject([status, { code }]);
    expect(text).not.toContain('canary');
  });
});

describe('a principal with models and limits of its own', () => {
  it('a principal with its own models sees only these, and the first of them is its default', async () => {
    expect(await (await send('bob', 'GET', 'models')).json()).toEqual({
      models: [{ id: 'p:small', name: 'small', provider: 'p', default: true }],
    });
    expect((await send('bob', 'POST', 'inference', {})).status).toBe(200);
  });

  it('a principal cannot use another principal’s model, nor learn of it', async () => {
    const response = await send('bob', 'POST', 'inference', { model: 'p:large' });
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('p:large');
    expect((await send('ann', 'POST', 'inference', { model: 'p:large' })).status).toBe(200);
  });

  it('a principal is held to its own limits', async () => {
    const large = { tools: [{ name: 't', inputSchema: {}, description: 'x'.repeat(600) }] };
    expect((await send('bob', 'POST', 'inference', large)).status).toBe(413);
    expect((await send('ann', 'POST', 'inference', large)).status).toBe(200);
  });
});
