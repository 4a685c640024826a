import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInferenceProxy } from '@vitrine/proxy';
import { scriptedInference } from '@vitrine/testing';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { createAgentServer } from './create-agent-server.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const client = scriptedInference([]);
/** Both kinds of servers, with a time limit for bodies, and a path that takes one. */
const servers = {
  'a server of agents': (limits: { readonly bodyMs?: number }) => {
    const server = createAgentServer({
      agents: { clerk: clerkOf({ deed: () => undefined, pause: pauseFor }) },
      host: sqliteHost({ path: join(folderOfTest('slow'), 'sessions.db') }),
      authorize: () => ({ id: 'anna' }),
      log: () => undefined,
      limits,
    });
    onTestFinished(() => server.stop({ graceMs: 0 }));
    return { served: server, path: '/agents/clerk/sessions/s1/commands' };
  },
  'a proxy': (limits: { readonly bodyMs?: number }) => {
    const models = [{ id: 'p:m', name: 'm', provider: 'p', client }];
    return { served: createInferenceProxy({ models, limits, log: () => undefined }), path: '/v1/inference' };
  },
};
const kinds = Object.keys(servers) as (keyof typeof servers)[];

async function serve(
  kind: keyof typeof servers,
  { bodyMs, headersMs }: { readonly bodyMs?: number; readonly headersMs?: number } = {},
): Promise<{ readonly url: URL; readonly path: string }> {
  const { served, path } = servers[kind](bodyMs === undefined ? {} : { bodyMs });
  const given = headersMs === undefined ? {} : { headersMs };
  const { url, close } = await serveInferenceProxy(served, { port: 0, ...given });
  onTestFinished(() => close());
  return { url: new URL(url), path };
}

/** The answer on a socket that sends a text and then nothing more, once the server has ended it. */
async function answerTo({ hostname, port }: URL, text: string): Promise<string> {
  const socket = connect({ host: hostname, port: Number(port) });
  let told = '';
  socket.on('data', (data: Buffer) => (told += data.toString()));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return told;
}

const headOf = (path: string, ...lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines].join('\r\n');

it.each(kinds)('%s closes a socket whose headers do not come to an end', async (kind) => {
  const { url, path } = await serve(kind, { headersMs: 50 });
  expect(await answerTo(url, headOf(path, 'X-More: '))).toMatch(/^HTTP\/1.1 408 /);
});

it.each(kinds)('%s answers a socket whose body does not come to an end, and closes it', async (kind) => {
  const { url, path } = await serve(kind, { bodyMs: 50 });
  const head = headOf(path, 'Content-Length: 500', 'Connection: close', '', '');
  expect(await answerTo(url, `${head}{"type":`)).toMatch(/^HTTP\/1.1 408 [^]*"code":"body-too-slow"/);
});

it.each(kinds)('%s gives headers 10 s unless it is told otherwise', async (kind) => {
  const { url } = await serve(kind);
  const found: Server[] = [];
  const note = (message: unknown): void => void found.push((message as { server: Server }).server);
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  await (await fetch(new URL('/healthz', url))).text();
  expect(found.map(({ headersTimeout }) => headersTimeout)).toEqual([10_000]);
});

it.each([
  ['a server of agents', 10_000],
  ['a proxy', 30_000],
] as const)('%s gives a body %i ms unless it is told otherwise', async (kind, ms) => {
  const { served, path } = servers[kind]({});
  if ('ready' in served) await served.ready;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let pulled = (): void => undefined;
  const isRead = new Promise<void>((resolve) => (pulled = resolve));
  const body = new ReadableStream({ pull: () => pulled() }, { highWaterMark: 0 });
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } };
  let status = 0;
  const answered = served
    .fetch(new Request(`http://localhost${path}`, init as RequestInit))
    .then((response) => (status = response.status));
  await isRead;
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(status).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answered).toBe(408);
});
