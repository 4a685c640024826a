import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedInference } from '@vitrine/testing';
import { createInferenceProxy } from '@vitrine/proxy';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let server: Awaited<ReturnType<typeof serveInferenceProxy>>;
let calls = 0;
beforeAll(async () => {
  const client = scriptedInference([() => (calls++, { text: 'x' })]);
  const proxy = createInferenceProxy({
    models: [{ id: 'p:m', name: 'm', provider: 'p', client }],
    limits: { bodyBytes: 4000, imageBytes: 6000, bodyMs: 200 },
    log: () => undefined,
  });
  server = await serveInferenceProxy(proxy, { port: 0 });
});
afterAll(() => server.close());

type Said = { readonly text: string; readonly closed: boolean };

/** Writes these pieces to the server as they are, numbers being pauses in milliseconds, and gives what it answers. */
async function say(pieces: readonly (string | number)[], waitMs = 1500): Promise<Said> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  let closed = false;
  socket.on('data', (data: Buffer) => (text += data.toString()));
  socket.on('close', () => (closed = true));
  // Whoever is cut off while it still writes.
  socket.on('error', () => undefined);
  for (const piece of pieces) {
    if (typeof piece === 'number') await sleep(piece);
    else if (!socket.destroyed) socket.write(piece);
  }
  for (let waited = 0; waited < waitMs && !closed && !/\r\n\r\n[\s\S]*\}/.test(text); waited += 20)
    await sleep(20);
  socket.destroy();
  return { text, closed };
}

const head = (...lines: readonly string[]): string =>
  ['POST /v1/inference HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...lines, '', ''].join(
    '\r\n',
  );
const codeIn = ({ text }: Said): string => /"code":"([\w-]+)"/.exec(text)?.[1] ?? text.slice(0, 40);

describe('a client that writes by itself', () => {
  it.each<[string, readonly (string | number)[], string]>([
    ['says that more comes than may', [head('Content-Length: 50000')], 'files-too-large'],
    ['says that very much comes', [head('Content-Length: 99999999999')], 'files-too-large'],
    [
      'sends more than may in pieces',
      [
        head('Transfer-Encoding: chunked'),
        ...Array.from({ length: 20 }, () => `400\r\n${'x'.repeat(1024)}\r\n`),
      ],
      'files-too-large',
    ],
    ['says that it sends and does not', [head('Content-Length: 500')], 'body-too-slow'],
    ['stops within', [head('Content-Length: 500'), '{"messages":'], 'body-too-slow'],
    ['stops within a piece', [head('Transfer-Encoding: chunked'), 'ff\r\n{"mes'], 'body-too-slow'],
    [
      'trickles',
      [head('Content-Length: 500'), ...Array.from({ length: 30 }, (_, at) => (at % 2 ? ' ' : 30))],
      'body-too-slow',
    ],
    ['sends lists that are never closed', [head('Content-Length: 3900'), '['.repeat(3900)], 'body-too-deep'],
    [
      'names another host in its request line',
      ['GET http://evil.example/v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
      'host-not-allowed',
    ],
    [
      'names a foreign origin',
      [head('Origin: http://evil.example', 'Content-Length: 2'), '{}'],
      'origin-not-allowed',
    ],
  ])('%s: is told so, and calls no model', async (_what, pieces, code) => {
    calls = 0;
    expect(codeIn(await say(pieces))).toBe(code);
    expect(calls).toBe(0);
  });

  it.each([
    ['two lengths', head('Content-Length: 2', 'Content-Length: 3')],
    ['a length and pieces', head('Content-Length: 2', 'Transfer-Encoding: chunked')],
    ['two hosts', head('Host: evil.example', 'Content-Length: 2')],
    ['a line break in a header', head('X: a\rb', 'Content-Length: 2')],
    ['pieces that have no length', `${head('Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`],
    ['an endless header', head(`X: ${'x'.repeat(100_000)}`, 'Content-Length: 2')],
    ['no host', 'GET /v1/models HTTP/1.1\r\n\r\n'],
  ])('a raw request with %s is not understood, and calls no model', async (_what, text) => {
    calls = 0;
    const said = await say([text, '{}']);
    expect(said.text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(calls).toBe(0);
  });

  it('a raw request does not keep others from being answered', async () => {
    const stalled = Array.from({ length: 50 }, () => say([head('Content-Length: 500'), '{'], 3000));
    const answer = await fetch(`${server.url}/v1/models`);
    expect(answer.status).toBe(200);
    const codes = (await Promise.all(stalled)).map(codeIn);
    expect(new Set(codes)).toEqual(new Set(['body-too-slow']));
  });
});
