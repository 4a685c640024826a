import { request as httpRequest } from 'node:http';
import { Message } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { InferenceProxyOptions } from '../inference-proxy.ts';
import { serveInferenceProxy, type ServeOptions } from '../node/serve-inference-proxy.ts';
import { isOwnHost } from './hosts.ts';

const body = JSON.stringify({ messages: [Message.user('Hi')] });

let calls = 0;
const create = (options: Partial<InferenceProxyOptions> = {}): ReturnType<typeof createInferenceProxy> => {
  calls = 0;
  const client = scriptedInference([
    () => {
      calls++;
      return { text: 'paid for' };
    },
  ]);
  const models = [{ id: 'p:m', name: 'm', provider: 'p', client }];
  return createInferenceProxy({ models, log: () => undefined, ...options });
};

let close: (() => Promise<void>) | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await close?.();
  close = null;
});

type Answer = { readonly status: number; readonly type: string; readonly text: string };

/** Asks a real server under any name, as a page does whose name points at it. */
async function ask(
  { host, ...options }: Partial<InferenceProxyOptions> & ServeOptions,
  headers: Record<string, string>,
  method: 'GET' | 'POST' = 'POST',
): Promise<Answer> {
  const { allowedHosts } = options;
  const where = { port: 0, ...(host && { host }), ...(allowedHosts && { allowedHosts }) };
  const server = await serveInferenceProxy(create(options), where);
  close = server.close;
  const { port } = new URL(server.url);
  const path = method === 'GET' ? '/v1/models' : '/v1/inference';
  return new Promise((resolve, reject) => {
    const asking = httpRequest(
      { host: '127.0.0.1', port, path, method, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let text = '';
        response.on('data', (data: Buffer) => (text += data.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
        );
      },
    );
    asking.on('error', reject).end(method === 'POST' ? body : undefined);
  });
}

describe('a page whose own name points at this machine', () => {
  it.each([
    ['as its own site', { host: 'evil.example', origin: 'http://evil.example' }],
    ['at the port of the server', { host: 'evil.example:5173', origin: 'http://evil.example:5173' }],
    ['without an origin', { host: 'evil.example' }],
    ['under a name that begins like ours', { host: 'localhost.evil.example' }],
    ['under a name that ends like ours', { host: 'evil-localhost' }],
    ['under an address that is not ours', { host: '203.0.113.7', origin: 'http://203.0.113.7' }],
    ['with the name of ours elsewhere', { host: 'evil.example', 'x-forwarded-host': 'localhost' }],
  ])(
    'a page whose own name points at this machine reaches no model and is told why: %s',
    async (_how, headers) => {
      const { status, type, text } = await ask({}, headers);
      expect({ status, type, calls }).toEqual({ status: 403, type: 'application/problem+json', calls: 0 });
      const { code, detail } = JSON.parse(text) as { code: string; detail: string };
      expect(code).toBe('host-not-allowed');
      expect(detail).toMatch(/does not answer to the host .*allowedHosts.*ALLOWED_HOSTS/);
    },
  );

  it('a page whose own name points at this machine cannot list the models', async () => {
    expect((await ask({}, { host: 'evil.example' }, 'GET')).status).toBe(403);
  });
});

describe('a server', () => {
  it.each([
    ['localhost', { host: 'localhost' }],
    ['localhost at any port', { host: 'localhost:3000', origin: 'http://localhost:3000' }],
    ['localhost in capitals and with a dot', { host: 'LOCALHOST.' }],
    ['127.0.0.1', { host: '127.0.0.1:80' }],
    ['::1', { host: '[::1]:5173' }],
  ])('a server answers to %s', async (_name, headers) => {
    const { status, text } = await ask({}, headers);
    expect({ status, calls }).toEqual({ status: 200, calls: 1 });
    expect(text).toContain('paid for');
  });

  it('a server answers to the names that it is given, at any port or at the given one', async () => {
    const allowedHosts = ['chat.example', 'other.example:8443'];
    for (const [host, status] of [
      ['chat.example', 200],
      ['Chat.Example:444', 200],
      ['other.example:8443', 200],
      ['other.example', 403],
      ['a.chat.example', 403],
    ] as const) {
      expect((await ask({ allowedHosts }, { host })).status, host).toBe(status);
      await close?.();
    }
  });

  it('a server answers to the names in ALLOWED_HOSTS', async () => {
    vi.stubEnv('ALLOWED_HOSTS', 'chat.example, other.example');
    expect((await ask({}, { host: 'other.example' })).status).toBe(200);
    await close?.();
    vi.stubEnv('ALLOWED_HOSTS', '');
    expect((await ask({}, { host: 'other.example' })).status).toBe(403);
  });

  it('a server that listens on every address answers to all of them, and to no foreign name', async () => {
    expect((await ask({ host: '0.0.0.0' }, { host: '192.168.1.7:5173' })).status).toBe(200);
    await close?.();
    expect((await ask({ host: '0.0.0.0' }, { host: 'evil.example' })).status).toBe(403);
  });

  it('a server reports its health under any name', async () => {
    const proxy = create();
    expect((await proxy.fetch(new Request('http://10.1.2.3/healthz'))).status).toBe(200);
  });
});

describe('a proxy that is mounted elsewhere', () => {
  const models = async (url: string, options: Partial<InferenceProxyOptions>): Promise<number> =>
    (await create(options).fetch(new Request(`${url}/v1/models`))).status;

  it('a mounted proxy answers to this machine alone, until it is told its names or who may use it', async () => {
    expect(await models('http://localhost:3000', {})).toBe(200);
    expect(await models('https://chat.example', {})).toBe(403);
    expect(await models('https://chat.example', { allowedHosts: ['chat.example'] })).toBe(200);
    expect(await models('https://chat.example', { authorize: () => ({ id: 'ann' }) })).toBe(200);
    expect(await models('https://chat.example', { authorize: () => null })).toBe(401);
    expect(await models('https://evil.example', { authorize: () => ({ id: 'ann' }), allowedHosts: [] })).toBe(
      403,
    );
  });
});

it('a text that is no host is not an own host', () => {
  const asked = new Request('http://chat.example/');
  for (const entry of ['', '*', 'http://chat.example', 'chat.example/path', 'a b'])
    expect(isOwnHost(asked, [entry]), entry).toBe(false);
  const named = (host: string): Request => new Request('http://127.0.0.1/', { headers: { host } });
  for (const host of ['localhost@evil.example', 'localhost/evil', 'localhost#x', '', ' ', 'localhost:x', '%'])
    expect(isOwnHost(named(host), []), host).toBe(false);
  expect(isOwnHost(new Request('http://[2001:db8::1]:8080/'), ['2001:db8::1'])).toBe(true);
});
