import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { directOf } from '../kit/direct-body.ts';
import { upstreamFetch } from '../providers/upstream-fetch.ts';
import { nodeUpstreamFetch } from './node-upstream-fetch.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The observable result of a call: its answer or its failure. */
async function told(send: typeof fetch, url: string, init?: RequestInit): Promise<unknown> {
  try {
    const answer = await send(url, init);
    const { status, statusText, headers } = answer;
    const kept = [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
    return { status, statusText, kept, text: await answer.text() };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const { code } = (cause ?? {}) as { code?: string };
    return { name, message, ...(message === 'fetch failed' ? { code } : {}) };
  }
}

const answers: Readonly<Record<string, RequestListener>> = {
  'a body in pieces': (_request, response) => {
    response.writeHead(200, 'Fine', { 'content-type': 'text/plain; charset=utf-8' });
    response.write('one ');
    setTimeout(() => response.end('zwölf'), 10);
  },
  'no body': (_request, response) => response.writeHead(204).end(),
  'an empty body': (_request, response) => response.end(),
  'what was sent': (request, response) => {
    const { method, headers } = request;
    const seen = ['authorization', 'content-type', 'content-length', 'accept'].map((name) => headers[name]);
    request.setEncoding('utf8').on('data', (data: string) => seen.push(data));
    request.on('end', () => response.end(JSON.stringify([method, seen])));
  },
  'several cookies': (_request, response) =>
    response
      .writeHead(200, [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ])
      .end('x'),
  'a redirect': (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end('not here'),
  'an error': (_request, response) => response.writeHead(529, { 'retry-after': '3' }).end('{"error":1}'),
  'a body that breaks off': (_request, response) => {
    response.write('one');
    setTimeout(() => response.destroy(), 20);
  },
};

describe('against an upstream with', () => {
  it.each(Object.entries(answers))(
    'an upstream with %s gives the same result as fetch',
    async (_what, listener) => {
      const url = await serving(listener);
      const init = {
        method: 'POST',
        body: '{"ä":1}',
        headers: { Authorization: 'k', 'content-type': 'a/b' },
      };
      expect(await told(nodeUpstreamFetch, url, init)).toEqual(await told(upstreamFetch, url, init));
      expect(await told(nodeUpstreamFetch, url)).toEqual(await told(upstreamFetch, url));
    },
  );

  it('an unreachable server gives the same error as fetch', async () => {
    const url = await serving(() => undefined);
    for (const close of closing.splice(0)) close();
    await sleep(20);
    const expected = { name: 'TypeError', message: 'fetch failed', code: 'ECONNREFUSED' };
    expect([await told(upstreamFetch, url), await told(nodeUpstreamFetch, url)]).toEqual([
      expected,
      expected,
    ]);
  });
});

describe.each(['before it is sent', 'before the first byte', 'within the body'] as const)(
  'aborted %s',
  (when) => {
    it.each([
      ['fetch', upstreamFetch],
      ['nodeUpstreamFetch', nodeUpstreamFetch],
    ])('a request through %s rejects with the reason and leaves the upstream', async (_name, send) => {
      const asked = vi.fn<() => void>();
      const left = vi.fn<() => void>();
      const url = await serving((_request, response) => {
        asked();
        response.on('close', left);
        if (when === 'within the body') response.write('one');
      });
      const controller = new AbortController();
      const reason = new DOMException('enough', 'AbortError');
      if (when === 'before it is sent') controller.abort(reason);
      const answer = send(url, { signal: controller.signal });
      const read = answer.then((response) => response.text());
      const failed = expect(read).rejects.toBe(reason);
      if (when !== 'before it is sent') {
        await vi.waitFor(() => expect(asked).toHaveBeenCalled());
        if (when === 'within the body') await answer;
        controller.abort(reason);
        await vi.waitFor(() => expect(left).toHaveBeenCalled());
      }
      await failed;
      if (when === 'before it is sent') expect(asked).not.toHaveBeenCalled();
    });
  },
);

it('an upstream waits while nobody reads, and a later reader gets all of it', async () => {
  const total = 32 * 1024 * 1024;
  let sent = 0;
  const url = await serving((_request, response) => {
    const piece = Buffer.alloc(65_536, 120);
    const write = (): void => {
      while (sent < total) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  });
  const answer = await nodeUpstreamFetch(url);
  await sleep(300);
  expect(sent).toBeLessThan(total);
  expect((await answer.arrayBuffer()).byteLength).toBe(total);
});

it('the bytes that arrive while nobody reads come in one piece', async () => {
  const url = await serving(async (_request, response) => {
    for (const letter of 'abc') {
      response.write(letter);
      await sleep(10);
    }
    response.end();
  });
  const body = directOf((await nodeUpstreamFetch(url)).body);
  await sleep(150);
  const pieces: (string | null)[] = [];
  const take = (piece: Uint8Array | string | null): void => void pieces.push(piece && String(piece));
  body?.read(take, take as () => void);
  body?.read(take, take as () => void);
  expect(pieces).toEqual(['abc', null]);
});

it('a cancelled body leaves the upstream', async () => {
  const left = vi.fn<() => void>();
  const url = await serving((_request, response) => void response.on('close', left).write('one'));
  const answer = await nodeUpstreamFetch(url);
  await answer.body?.cancel();
  await vi.waitFor(() => expect(left).toHaveBeenCalled());
});

it('the request asks for an uncompressed answer, and a compressed one is still read where possible', async () => {
  let encoding = 'gzip';
  const url = await serving((request, response) => {
    expect(request.headers['accept-encoding']).toBe('identity');
    response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync('zwölf'));
  });
  expect(await (await nodeUpstreamFetch(url)).text()).toBe('zwölf');
  encoding = 'br';
  await expect(nodeUpstreamFetch(url)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('answered with br') },
  });
});

it('bodies that are streams, and Request objects, are left to fetch', async () => {
  const url = await serving((request, response) => void request.pipe(response));
  const body = new Blob(['streamed']).stream();
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  expect(await (await nodeUpstreamFetch(url, init)).text()).toBe('streamed');
  expect(await (await nodeUpstreamFetch(new Request(url, { method: 'POST', body: 'r' }))).text()).toBe('r');
});
