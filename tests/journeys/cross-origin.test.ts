import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptedInference } from '@vitrine/testing';
import { createInferenceProxy } from '@vitrine/proxy';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';

/** An empty page at an origin of its own. */
async function servePage(): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><link rel="icon" href="data:,">'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let browser: Browser;
let friend: Awaited<ReturnType<typeof servePage>>;
let stranger: Awaited<ReturnType<typeof servePage>>;
let proxy: Awaited<ReturnType<typeof serveInferenceProxy>>;
/** Asks nobody who they are, as on one's own machine. */
let openProxy: typeof proxy;
let calls = 0;

beforeAll(async () => {
  [friend, stranger, browser] = await Promise.all([
    servePage(),
    servePage(),
    chromium.launch(launchOptions()),
  ]);
  const client = scriptedInference([() => (calls++, { text: 'Hello from afar', chunks: 4, delayMs: 5 })]);
  const models = [{ id: 'p:m', name: 'm', provider: 'p', client }];
  const options = { models, allowedOrigins: [friend.origin], log: () => undefined };
  const authorize = (request: Request): { id: string } | null =>
    request.headers.get('authorization') === 'Bearer ann' ? { id: 'ann' } : null;
  [proxy, openProxy] = await Promise.all([
    serveInferenceProxy(createInferenceProxy({ ...options, authorize }), { port: 0 }),
    serveInferenceProxy(createInferenceProxy(options), { port: 0 }),
  ]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([proxy.close(), openProxy.close()]);
  friend.server.close();
  stranger.server.close();
});

async function pageAt(origin: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(origin);
  calls = 0;
  return page;
}

/** As much of RequestInit as both sides of the wire can say. */
type Asked = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly credentials?: 'include';
};

/** The part of its request that a script of the page can read, or the browser's refusal. */
const fetchIn = (
  page: Page,
  path: string,
  init: Asked,
  server = proxy,
): Promise<{ status: number; text: string; id: string | null } | string> =>
  page.evaluate(
    async ([url, given]) => {
      try {
        const response = await fetch(url, given);
        const text = await response.text();
        return { status: response.status, text, id: response.headers.get('x-inference-id') };
      } catch (error) {
        return String(error);
      }
    },
    [`${server.url}${path}`, init] as const,
  );

const ask = {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer ann' },
  body: JSON.stringify({ messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }),
};

describe('in a browser, a page of an allowed origin', () => {
  it('a page of an allowed origin asks, reads its stream to the end, resumes it and ends it', async () => {
    const page = await pageAt(friend.origin);
    const asked = await fetchIn(page, '/v1/inference', ask);
    expect(asked).toMatchObject({
      status: 200,
      text: expect.stringContaining('finish'),
      id: expect.any(String),
    });
    const { id } = asked as { id: string };
    const again = { headers: { authorization: 'Bearer ann', 'last-event-id': '2' } };
    expect(await fetchIn(page, `/v1/inference/${id}`, again)).toMatchObject({ status: 200 });
    expect(await fetchIn(page, `/v1/inference/${id}`, { ...again, method: 'DELETE' })).toMatchObject({
      status: 204,
    });
    expect(await fetchIn(page, '/v1/models', again)).toMatchObject({ text: expect.stringContaining('p:m') });
    await page.close();
  });

  it('a page of an allowed origin also reads why it was refused', async () => {
    const page = await pageAt(friend.origin);
    expect(
      await fetchIn(page, '/v1/inference', { ...ask, headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({
      status: 401,
      text: expect.stringContaining('unauthorized'),
    });
    expect(await fetchIn(page, '/v1/inference', { ...ask, body: '{' })).toMatchObject({ status: 400 });
    expect(await fetchIn(page, '/nowhere', { headers: { authorization: 'Bearer ann' } })).toMatchObject({
      status: 404,
    });
    await page.close();
  });
});

describe('in a browser, a page of any other origin', () => {
  it('a page of another origin reads nothing, and calls no model whatever it sends', async () => {
    const page = await pageAt(stranger.origin);
    for (const [path, init] of [
      ['/v1/inference', ask],
      ['/v1/inference', { ...ask, headers: { 'content-type': 'text/plain' } }],
      ['/v1/inference', { ...ask, headers: { 'content-type': 'text/plain' }, credentials: 'include' }],
      ['/v1/inference/1', { method: 'DELETE' }],
      ['/v1/models', {}],
      ['/v1/models', { headers: { authorization: 'Bearer ann' } }],
    ] as const)
      expect(await fetchIn(page, path, init, openProxy), JSON.stringify(init)).toMatch(/Failed to fetch/);
    expect(calls).toBe(0);
    await page.close();
  });

  it('a page of another origin calls no model by a form or a beacon either', async () => {
    const page = await pageAt(stranger.origin);
    await page.evaluate(
      async ([url, body]) => {
        navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' }));
        await fetch(url, { method: 'POST', mode: 'no-cors', body });
      },
      [`${openProxy.url}/v1/inference`, ask.body] as const,
    );
    expect(calls).toBe(0);
    await page.close();
  });
});
