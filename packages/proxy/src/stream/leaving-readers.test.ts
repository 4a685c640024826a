import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InferenceClient } from '@vitrine/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Behaviour, startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { InferenceProxyOptions } from '../inference-proxy.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { clientOf } from './served.fixture.ts';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

const times = 20;
const maxBuffered = 40 * 1024 * 1024;

/** Nothing is looked up again and nothing expires within a test, so that the readers alone can end the upstream. */
const hourMs = 3_600_000;
const onlyReaders = {
  resumeGraceMs: 0,
  leaseMs: hourMs,
  firstEventMs: hourMs,
  idleMs: hourMs,
  totalMs: hourMs,
};

let upstream: Upstream;
let server: Awaited<ReturnType<typeof serveInferenceProxy>>;
let sockets: Socket[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => {
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close({ graceMs: 0 });
});

const upstreamClient = (): InferenceClient => clientOf(upstream.url);

async function serve(behave: Behaviour, options: Partial<InferenceProxyOptions> = {}): Promise<void> {
  upstream.behave = behave;
  const models = [{ id: 'p:m', name: 'm', provider: 'p', client: upstreamClient() }];
  const proxy = createInferenceProxy({
    models,
    log: () => undefined,
    ...options,
    limits: { ...onlyReaders, ...options.limits },
  });
  server = await serveInferenceProxy(proxy, { port: 0 });
}

/** A reader with its own socket, so that it can stall and leave as a real one does. */
async function openSocket(path = '/v1/inference', headers: readonly string[] = []): Promise<Socket> {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => undefined);
  const body = JSON.stringify(request);
  const isPost = path === '/v1/inference';
  const lines = [
    `${isPost ? 'POST' : 'GET'} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...headers,
    ...(isPost ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${isPost ? body : ''}`);
  return socket;
}

/** All received text, once it contains the given one. */
function readUntil(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const onData = (data: Buffer): void => {
      seen += data.toString();
      if (!seen.includes(text)) return;
      socket.off('data', onData);
      resolve(seen);
    };
    socket.on('data', onData);
  });
}

/**
 * Waits until nothing more is taken from the upstream: every buffer on the way is full, mostly those of the sockets.
 */
async function untilBackedUp(): Promise<void> {
  const start = upstream.written();
  for (let before = -1; before !== upstream.written();) {
    before = upstream.written();
    expect(before - start, 'bytes taken for a reader that reads nothing').toBeLessThan(maxBuffered);
    await sleep(60);
  }
}

async function upstreamToEnd(): Promise<void> {
  await vi.waitFor(() => expect(upstream.open()).toBe(0), { timeout: 3000, interval: 2 });
}

/** Lets a reader leave many times. The upstream must end each time. */
async function leaveManyTimes(leave: (count: number) => Promise<void>): Promise<void> {
  for (let count = 0; count < times; count++) {
    await leave(count);
    await upstreamToEnd();
  }
}

describe('a reader that leaves ends the upstream', () => {
  it(
    'the upstream ends when the reader had stalled and every buffer was full',
    { timeout: 60_000 },
    async () => {
      await serve({ kind: 'endless', body: chunk('x'.repeat(65_536)), everyMs: 0 });
      await leaveManyTimes(async () => {
        const socket = await openSocket();
        await readUntil(socket, 'text-delta');
        socket.pause();
        await untilBackedUp();
        expect(upstream.open()).toBe(1);
        socket.destroy();
      });
    },
  );

  it(
    'the upstream ends when the reader kept up and left right after an event',
    { timeout: 60_000 },
    async () => {
      for (const everyMs of [0, 1, 5]) {
        await serve({ kind: 'endless', body: chunk('x'), everyMs });
        await leaveManyTimes(async () => {
          const socket = await openSocket();
          await readUntil(socket, 'text-delta');
          socket.destroy();
        });
        await server.close({ graceMs: 0 });
      }
    },
  );

  it('the upstream ends when the body is cancelled right after an event, without any server', async () => {
    await serve({ kind: 'endless', body: chunk('x'), everyMs: 1 });
    const models = [{ id: 'p:m', name: 'm', provider: 'p', client: upstreamClient() }];
    const proxy = createInferenceProxy({ models, log: () => undefined, limits: onlyReaders });
    await leaveManyTimes(async (count) => {
      const response = await proxy.fetch(
        new Request('http://localhost/v1/inference', {
          method: 'POST',
          body: JSON.stringify(request),
          headers: { 'content-type': 'application/json' },
        }),
      );
      const reader = response.body?.getReader();
      for (let reads = 0; reads < count % 4; reads++) await reader?.read();
      await vi.waitFor(() => expect(upstream.open()).toBe(1), { interval: 2 });
      await reader?.cancel();
    });
  });

  it('the upstream ends when the reader leaves before the first event', async () => {
    await serve({ kind: 'hang' });
    await leaveManyTimes(async () => {
      const socket = await openSocket();
      await vi.waitFor(() => expect(upstream.open()).toBe(1), { interval: 2 });
      socket.destroy();
    });
  });

  it('the upstream ends when the reader had left before its request was read', async () => {
    await serve({ kind: 'endless', body: chunk('x'), everyMs: 5 });
    const models = [{ id: 'p:m', name: 'm', provider: 'p', client: upstreamClient() }];
    const proxy = createInferenceProxy({ models, log: () => undefined, limits: onlyReaders });
    const response = await proxy.fetch(
      new Request('http://localhost/v1/inference', {
        method: 'POST',
        body: JSON.stringify(request),
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.abort(),
      }),
    );
    expect(response.status).toBe(499);
    await upstreamToEnd();
  });

  it('the upstream ends when the reader leaves between two events that are far apart', async () => {
    await serve({ kind: 'stall', body: chunk('a') });
    await leaveManyTimes(async () => {
      const socket = await openSocket();
      await readUntil(socket, 'text-delta');
      socket.destroy();
    });
  });

  it('the upstream ends also when only the headers of the stream were asked for', async () => {
    await serve({ kind: 'endless', body: chunk('x'), everyMs: 5 });
    const socket = await openSocket();
    const id = /x-inference-id: (\S+)/i.exec(await readUntil(socket, 'text-delta'))?.[1];
    const head = await fetch(`${server.url}/v1/inference/${id}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('x-inference-id')]).toEqual([200, id]);
    socket.destroy();
    await upstreamToEnd();
  });

  it('the upstream ends once the grace time is over, and not before another reader has left too', async () => {
    const resumeGraceMs = 400;
    await serve({ kind: 'endless', body: chunk('x'), everyMs: 5 }, { limits: { resumeGraceMs } });
    const first = await openSocket();
    const id = /x-inference-id: (\S+)/i.exec(await readUntil(first, 'text-delta'))?.[1];
    first.destroy();
    const second = await openSocket(`/v1/inference/${id}`, ['Last-Event-ID: 0']);
    expect(await readUntil(second, 'id: 2')).not.toContain('id: 0\n');
    await sleep(2 * resumeGraceMs);
    expect(upstream.open()).toBe(1);
    second.destroy();
    await sleep(resumeGraceMs / 2);
    expect(upstream.open()).toBe(1);
    await upstreamToEnd();
  });
});

describe('a reader that stalls', () => {
  it(
    'a stalled reader holds back the upstream, so that memory stays bounded',
    { timeout: 30_000 },
    async () => {
      await serve({ kind: 'endless', body: chunk('x'.repeat(65_536)), everyMs: 0 });
      const socket = await openSocket();
      await readUntil(socket, 'text-delta');
      socket.pause();
      await untilBackedUp();
      socket.resume();
      const held = upstream.written();
      await vi.waitFor(() => expect(upstream.written()).toBeGreaterThan(held + 1024 * 1024));
    },
  );
});
