import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InferenceEvent, Usage } from '@vitrine/core';
import { createLogger, createServer, type InlineConfig, preview, type ViteDevServer } from 'vite';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { startUpstream } from '../../../../tests/upstream/upstream.ts';
import { delta, puppet } from '../stream/served.fixture.ts';
import { vitrine, type VitrineOptions } from './vite.ts';

const page = '<!doctype html><title>The page</title><script type="module" src="/main.js"></script>';
const finish: InferenceEvent = { type: 'finish', finishReason: 'stop', usage: Usage.none() };

// In Vitest the plugin does nothing, so that tests of an application do not start a proxy.
beforeEach(() => {
  vi.stubEnv('VITEST', '');
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'])
    vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

/** The folder of an application, with a page and the given `.env`. */
function application(env = ''): string {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-vite-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'index.html'), page);
  writeFileSync(join(root, 'main.js'), 'console.log(import.meta.env);');
  writeFileSync(join(root, '.env'), env);
  return root;
}

type Started = {
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** The lines of Vite's logger. */
  readonly said: () => readonly string[];
};

/** Starts Vite with the plugin, in development or as a preview of the folder itself. */
async function start(
  kind: 'dev' | 'preview',
  { env = '', config = {}, ...options }: VitrineOptions & { env?: string; config?: InlineConfig } = {},
): Promise<Started> {
  const lines: string[] = [];
  const logger = createLogger('silent');
  const note = (text: string): void => void lines.push(text);
  const root = application(env);
  const inline: InlineConfig = {
    root,
    configFile: false,
    customLogger: { ...logger, info: note, warn: note, error: note },
    server: { port: 0, host: '127.0.0.1', watch: null, ...config.server },
    preview: { port: 0, host: '127.0.0.1' },
    build: { outDir: root },
    optimizeDeps: { noDiscovery: true },
    plugins: [vitrine(options)],
  };
  const server = kind === 'dev' ? await (await createServer(inline)).listen() : await preview(inline);
  onTestFinished(() => server.close());
  const address = server.httpServer?.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => server.close(),
    restart: () => (server as ViteDevServer).restart(),
    said: () => lines.filter((line) => line.startsWith('Vitrine')),
  };
}

const post = (url: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/inference`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });

const modelOf = (
  client: ReturnType<typeof puppet>,
  resumeGraceMs = 0,
): Pick<VitrineOptions, 'models' | 'limits'> => ({
  models: [{ id: 'p:m', name: 'm', provider: 'p', client }],
  limits: { resumeGraceMs },
});
/** A grace time that no test outlasts: only a proxy that is closed ends a call without readers. */
const forLong = 600_000;

async function firstText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes('text-delta')) {
    const read = await reader?.read();
    if (read === undefined || read.done) return text;
    text += new TextDecoder().decode(read.value);
  }
  return text;
}

describe.each(['dev', 'preview'] as const)('the %s server of Vite', (kind) => {
  it('the server sends the words of an answer as they come', async () => {
    const model = puppet();
    const { url } = await start(kind, modelOf(model));
    const answer = await post(`${url}/api`);
    model.say(delta('Hello'));
    expect(await firstText(answer)).toContain('Hello');
    model.say(finish);
  });

  it('a reader that leaves ends the call of the model', async () => {
    const model = puppet();
    const { url } = await start(kind, modelOf(model));
    const leaving = new AbortController();
    const answer = await post(`${url}/api`, {}, leaving.signal);
    model.say(delta('Hello'));
    await firstText(answer);
    leaving.abort();
    await vi.waitFor(() => expect(model.open()).toBe(0));
  });

  it('the server answers all other paths itself', async () => {
    const { url } = await start(kind, modelOf(puppet()));
    const html = { accept: 'text/html' };
    expect(await (await fetch(`${url}/`, { headers: html })).text()).toContain('The page');
    expect(await (await fetch(`${url}/api/users`, { headers: html })).text()).toContain('The page');
    expect(await (await fetch(`${url}/v1/models`, { headers: html })).text()).toContain('The page');
    expect(await (await fetch(`${url}/api/v1/models?a`)).json()).toMatchObject({ models: [{ id: 'p:m' }] });
    expect((await fetch(`${url}/api/healthz`)).status).toBe(200);
  });

  it('the server refuses pages of other origins and of foreign names', async () => {
    const model = puppet();
    const { url } = await start(kind, modelOf(model));
    const foreign = { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' };
    expect((await post(`${url}/api`, foreign)).status).toBe(403);
    expect((await post(`${url}/api`, { origin: 'https://evil.example' })).status).toBe(403);
    const rebound = await new Promise((resolve) => {
      ask(`${url}/api/v1/models`, { headers: { host: 'evil.example' } }, ({ statusCode }) =>
        resolve(statusCode),
      ).end();
    });
    expect([rebound, model.calls()]).toEqual([403, 0]);
  });

  it('the server reads keys from .env, and no module of the page has them', async () => {
    const upstream = await startUpstream();
    onTestFinished(upstream.close);
    upstream.behave = { kind: 'status', status: 401 };
    const { url, said } = await start(kind, {
      env: `OPENAI_API_KEY=sk-canary-of-env\nOPENAI_BASE_URL=${upstream.url}\nVITRINE_MODELS=openai:gpt-5\nVITE_SHOWN=yes\n`,
    });
    expect(said()).toEqual(['Vitrine: /api serves openai:gpt-5.']);
    expect(await (await post(`${url}/api`)).text()).toContain('upstream-unauthorized');
    expect(upstream.authorizations()).toContain('Bearer sk-canary-of-env');
    await vi.waitFor(() => expect(said()).toHaveLength(2));
    expect(said()[1]).toMatch(/POST \/v1\/inference upstream-unauthorized\n.*[^]*OPENAI_API_KEY/);
    const sources = await Promise.all(
      ['/', '/main.js', '/@vite/client', '/@vite/env'].map(async (path) => (await fetch(url + path)).text()),
    );
    expect(sources.join()).not.toContain('canary');
    if (kind === 'dev') expect(sources.join()).toContain('VITE_SHOWN');
  });

  it('the server says once that the demo model answers without a key, with the remedy', async () => {
    const { url, said } = await start(kind, { env: 'OPENAI_KEY=sk-x\nVITRINE_DEMO_PACE_MS=0' });
    expect(await (await post(`${url}/api`)).text()).toContain('finish');
    expect(said()).toEqual([
      'Vitrine: No API key found: the offline demo model answers at /api. Set one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_COMPATIBLE_BASE_URL in .env. OPENAI_KEY is set: did you mean OPENAI_API_KEY?',
    ]);
  });

  it('the server closes the proxy with itself', async () => {
    const model = puppet();
    const { url, close } = await start(kind, modelOf(model, forLong));
    const answer = post(`${url}/api`)
      .then(firstText)
      .catch(() => 'cut');
    await vi.waitFor(() => expect(model.open()).toBe(1));
    await close();
    await vi.waitFor(() => expect(model.open()).toBe(0));
    await answer;
  });
});

it('a restart of Vite replaces the proxy and leaves nothing open', async () => {
  const model = puppet();
  const { url, restart, said } = await start('dev', modelOf(model, forLong));
  const listeners = (): number =>
    process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  await restart();
  const before = listeners();
  for (let round = 0; round < 3; round++) {
    const answer = post(`${url}/api`)
      .then(firstText)
      .catch(() => 'cut');
    await vi.waitFor(() => expect(model.open()).toBe(1));
    await restart();
    await vi.waitFor(() => expect(model.open()).toBe(0));
    await answer;
  }
  expect(listeners()).toBe(before);
  expect((await fetch(`${url}/api/v1/models`)).status).toBe(200);
  expect(said()).toHaveLength(5);
});

it('the proxy is mounted below another path, or at the root', async () => {
  const { url } = await start('dev', { ...modelOf(puppet()), path: '/llm/' });
  expect((await fetch(`${url}/llm/v1/models`)).status).toBe(200);
  const root = await start('dev', { ...modelOf(puppet()), path: '/' });
  expect((await fetch(`${root.url}/v1/models`)).status).toBe(200);
  expect(() => vitrine({ path: 'api' })).toThrow(/path is "api"; give a path that begins with a slash/);
});

it('an invalid setting ends the start with its sentence', async () => {
  await expect(start('dev', { env: 'VITRINE_MODELS=openai:gpt-5' })).rejects.toThrow(
    /VITRINE_MODELS: "openai:gpt-5" is not "provider:model" of a configured provider/,
  );
});

it('Vite with a certificate answers over HTTP/2', async () => {
  const model = puppet();
  const { url } = await start('dev', { ...modelOf(model), config: { server: { https: { key, cert } } } });
  const session = connect(url.replace('http:', 'https:'), { ca: cert });
  onTestFinished(() => session.close());
  const exchange = (headers: Record<string, string>, body?: string): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const stream = session.request(headers);
      let [status, text] = [0, ''];
      stream.on('response', ({ ':status': code }) => (status = Number(code)));
      stream.setEncoding('utf8').on('data', (data: string) => {
        text += data;
        if (text.includes('Hello')) model.say(finish);
      });
      stream.on('error', reject).on('end', () => resolve([status, text]));
      stream.end(body);
    });
  expect(await exchange({ ':path': '/api/v1/models' })).toEqual([200, expect.stringContaining('p:m')]);
  expect(await exchange({ ':path': '/api/healthz' })).toEqual([200, expect.stringContaining('ok')]);
  const origin = new URL(url.replace('http:', 'https:')).origin;
  const asked = { ':path': '/api/v1/inference', ':method': 'POST', 'content-type': 'application/json' };
  model.say(delta('Hello'));
  expect(await exchange({ ...asked, origin }, JSON.stringify(request))).toEqual([
    200,
    expect.stringContaining('finish'),
  ]);
  expect((await exchange({ ...asked, origin: 'https://evil.example' }, '{}'))[0]).toBe(403);
});

it('the plugin does nothing in a build and in Vitest', () => {
  const { apply } = vitrine();
  const applies = (command: 'serve' | 'build'): unknown =>
    typeof apply === 'function' && apply.call({} as never, {}, { command, mode: 'development' });
  expect([applies('serve'), applies('build')]).toEqual([true, false]);
  vi.stubEnv('VITEST', 'true');
  expect(applies('serve')).toBe(false);
});

/** A certificate of this test for localhost, valid for a hundred years. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdbZ/WzmMxyFCX65C
fCUAXFDh2rkN3Is3xjq4pQ8mXnmhRANCAASfNLKxRKqSwCGtSYwAL1CRMoyoOf8h
MHvZAoLyTaw4t8uKUfPKYG4Ht20EjDfn4wpPrczZue7/BbNlDVyOws0z
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUHS0BXgFeKhfg4HWE+yIyRkug2XswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTAzNTkzNFoYDzIxMjYxMTAx
MDM1OTM0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASfNLKxRKqSwCGtSYwAL1CRMoyoOf8hMHvZAoLyTaw4t8uKUfPKYG4H
t20EjDfn4wpPrczZue7/BbNlDVyOws0zo28wbTAdBgNVHQ4EFgQUZGwErkGWn+5s
IMQYM45g1sSLzjgwHwYDVR0jBBgwFoAUZGwErkGWn+5sIMQYM45g1sSLzjgwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAKM9pRSiGBXtyWAq5Kj6wRbXsakSaxACzY+4f0YucVPRAiEA
ycNTsLddJ7xrbUddKtKVLkANmu0g5escSs1T/JY9IeI=
-----END CERTIFICATE-----
`;

describe('the cases of a project', () => {
  it('an agent without a module is refused with a sentence', () => {
    expect(() => vitrine({ cases: { agent: '#agent' } })).toThrow(/name it as "src\/agent\.ts#agent"/);
  });
});
