import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { InferenceProxyOptions } from '../inference-proxy.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { delta, puppet } from '../stream/served.fixture.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

const mebibyte = 1024 * 1024;

let server: Awaited<ReturnType<typeof serveInferenceProxy>>;
let model: ReturnType<typeof puppet>;
let sockets: Socket[];
beforeEach(() => {
  model = puppet();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close({ graceMs: 0 });
});

async function serve(options: Partial<InferenceProxyOptions>): Promise<void> {
  const proxy = createInferenceProxy({
    models: [{ id: 'p:m', name: 'm', provider: 'p', client: model }],
    authorize: (asked) => ({ id: asked.headers.get('authorization') ?? 'ann' }),
    log: () => undefined,
    ...options,
  });
  server = await serveInferenceProxy(proxy, { port: 0 });
}

/** An upload that announces so many bytes, sends a few and stalls; with the code of its answer, once there is one. */
function upload(
  length: number,
  who = 'ann',
): { readonly code: () => string | null; readonly socket: Socket } {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString())).on('error', () => undefined);
  const lines = [
    'POST /v1/inference HTTP/1.1',
    `Host: ${host}`,
    `Authorization: ${who}`,
    'Content-Type: application/json',
    length < 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${length < 0 ? '1\r\n{\r\n' : '{'}`);
  return { code: () => /"code":"([\w-]+)"/.exec(text)?.[1] ?? null, socket };
}

const ask = (who: string): Promise<Response> =>
  fetch(`${server.url}/v1/inference`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: who },
    body: JSON.stringify(request),
  });

/** The codes of all answered uploads, in the order in which they were sent. */
const codesOf = (uploads: readonly { readonly code: () => string | null }[]): (string | null)[] =>
  uploads.map(({ code }) => code());

describe('an upload that is not finished', () => {
  it('an unfinished upload counts as a request, so the third of two is refused before its body is read', async () => {
    await serve({ quotas: { requests: { points: 2, seconds: 3600 } } });
    const uploads: ReturnType<typeof upload>[] = [];
    for (let at = 0; at < 20; at++) {
      uploads.push(upload(20 * mebibyte));
      if (at < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await vi.waitFor(() => expect(codesOf(uploads).filter(Boolean)).toHaveLength(18), { timeout: 5000 });
    expect(codesOf(uploads)).toEqual([null, null, ...Array<string>(18).fill('quota-exceeded')]);
    expect(model.calls()).toBe(0);
  });

  it('an unfinished upload takes a place among the streams, and frees it when it is too slow', async () => {
    await serve({ quotas: { concurrent: 2 }, limits: { bodyMs: 300 } });
    const first = [upload(100), upload(-1)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    const refused = upload(100);
    await vi.waitFor(() => expect(refused.code()).toBe('too-many-streams'), { timeout: 5000 });
    await vi.waitFor(() => expect(codesOf(first)).toEqual(['body-too-slow', 'body-too-slow']), {
      timeout: 5000,
    });
    const answer = await ask('ann');
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  it('an unfinished upload reserves the bytes that it announces, within the limits of its principal and of all', async () => {
    await serve({ limits: { heldBytes: 25 * mebibyte, allHeldBytes: 45 * mebibyte } });
    const uploads = [upload(20 * mebibyte)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    uploads.push(upload(20 * mebibyte));
    await vi.waitFor(() => expect(uploads[1]?.code()).toBe('too-many-bytes'), { timeout: 5000 });
    uploads.push(upload(20 * mebibyte, 'bob'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    uploads.push(upload(20 * mebibyte, 'eve'));
    await vi.waitFor(() => expect(uploads[3]?.code()).toBe('server-busy'), { timeout: 5000 });
    expect(codesOf(uploads)).toEqual([null, 'too-many-bytes', null, 'server-busy']);
    // A short question of another principal fits beside them, and one of ann after her upload has gone.
    for (const who of ['eve', 'ann']) {
      if (who === 'ann') uploads[0]?.socket.destroy();
      const answer = await ask(who);
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
  });

  it('an unfinished upload that announces nothing reserves the bytes that arrive', async () => {
    await serve({ limits: { heldBytes: mebibyte, allHeldBytes: 45 * mebibyte } });
    const uploads = [upload(900_000), upload(-1)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    const piece = 'x'.repeat(60_000);
    for (let at = 0; at < 10; at++) uploads[1]?.socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    await vi.waitFor(() => expect(uploads[1]?.code()).toBe('too-many-bytes'), { timeout: 5000 });
    expect(uploads[0]?.code()).toBe(null);
  });
});

it('a principal without points uploads nothing', async () => {
  await serve({ quotas: { cost: { points: 1, seconds: 3600 }, costOf: () => 1 } });
  const answer = await ask('ann');
  model.say(delta('a'));
  await answer.body?.cancel();
  const late = upload(20 * mebibyte);
  await vi.waitFor(() => expect(late.code()).toBe('quota-exceeded'), { timeout: 5000 });
  expect(model.calls()).toBe(1);
});

it('the bytes of a request are held until its answer has ended', async () => {
  await serve({ limits: { heldBytes: 40_000 } });
  const first = await ask('ann');
  const second = await ask('ann');
  expect([first.status, second.status]).toEqual([200, 429]);
  expect(await second.json()).toMatchObject({ code: 'too-many-bytes' });
  expect(second.headers.get('retry-after')).toBe('1');
  model.say({ type: 'finish', finishReason: 'stop' } as never);
  await first.text();
  await vi.waitFor(async () => {
    const third = await ask('ann');
    expect(third.status).toBe(200);
    await third.text();
  });
});
