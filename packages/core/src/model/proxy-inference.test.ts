import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { InferenceEvent, InferenceRequest } from './inference-client.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { type Handler, open, request, serve } from './answering-server.fixture.ts';
import { proxyInference } from './proxy-inference.ts';
import { failure } from './proxy-inference-call.ts';
import { reconnectPause } from './proxy-inference-stream.ts';

const finish = { type: 'finish', finishReason: 'stop', usage: {} } as unknown as InferenceEvent;
const delta = (text: string): InferenceEvent => ({ type: 'text-delta', delta: text });
const sse = (event: object, id: number): string => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;

const say =
  (...events: readonly string[]): Handler =>
  (response) =>
    void open(response).end(events.join(''));
/** Sends the given events and then breaks the connection. */
const cut =
  (...events: readonly string[]): Handler =>
  (response) => {
    open(response).write(`: ping\n\n${events.join('')}`);
    setTimeout(() => response.destroy(), 20);
  };
const refuse =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (response) =>
    void response.writeHead(status, headers).end('{"code":"some-code","detail":"Why."}');

async function read(
  options: ProxyInferenceOptions,
  call: { signal?: AbortSignal; inferenceId?: string } = {},
): Promise<InferenceEvent[]> {
  const events: InferenceEvent[] = [];
  const stream = proxyInference(options).stream(request, { signal: new AbortController().signal, ...call });
  for await (const event of stream) events.push(event);
  return events;
}

describe('an answer whose connection breaks', () => {
  it('a broken answer resumes after the last received event, over as many connections as needed', async () => {
    const { url, asked } = await serve(
      cut(sse(delta('a'), 0)),
      cut(sse(delta('b'), 1), sse(delta('c'), 2)),
      say(sse(delta('d'), 3), sse(finish, 4)),
    );
    const events = await read({ url });
    expect(events).toEqual([delta('a'), delta('bc'), delta('d'), finish]);
    expect(asked.map(({ method, url: path, headers }) => [method, path, headers['last-event-id']])).toEqual([
      ['POST', '/v1/inference', undefined],
      ['GET', '/v1/inference/s1', '0'],
      ['GET', '/v1/inference/s1', '2'],
    ]);
  });

  it('the rest of an answer is asked for past the cache of the browser, which so keeps nothing of it', async () => {
    const { url } = await serve(cut(sse(delta('a'), 0)), say(sse(finish, 1)));
    const caches: unknown[] = [];
    const send: typeof fetch = (input, init) => {
      caches.push([init?.method ?? 'GET', init?.cache]);
      return fetch(input, init);
    };
    await read({ url, fetch: send });
    expect(caches).toEqual([
      ['POST', undefined],
      ['GET', 'no-store'],
    ]);
  });

  it('an answer that breaks before its first event is read from the start', async () => {
    const { url, asked } = await serve(cut(), say(sse(finish, 0)));
    expect(await read({ url })).toEqual([finish]);
    expect([asked[1]?.method, asked[1]?.headers['last-event-id']]).toEqual(['GET', undefined]);
  });

  it('a broken answer resumes when the server was away or busy, after the requested wait', async () => {
    const askedMs = 34_567;
    const busy = refuse(503, { 'retry-after-ms': `${askedMs}` });
    const { url, asked } = await serve(cut(sse(delta('a'), 0)), refuse(502), busy, say(sse(finish, 1)));
    const { setTimeout: inTime } = globalThis;
    const connections: number[] = [];
    // The requested wait is over at once; every other timer keeps its time.
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0) => {
      if (ms === askedMs) connections.push(asked.length);
      return inTime(callback, ms === askedMs ? 0 : ms);
    }) as typeof setTimeout);
    try {
      expect(await read({ url })).toEqual([delta('a'), finish]);
    } finally {
      spy.mockRestore();
    }
    expect(connections).toEqual([3]);
  });

  it('an answer resumes when nothing has come for a time, pings included', async () => {
    const { url } = await serve(
      (response) => void open(response).write(sse(delta('a'), 0)),
      say(sse(finish, 1)),
    );
    expect(await read({ url, timeouts: { idleMs: 60 } })).toEqual([delta('a'), finish]);
  });

  it.each([
    [
      'after as many attempts as it may',
      { reconnect: { attempts: 2 } },
      [cut(sse(delta('a'), 0)), refuse(500)],
      3,
    ],
    ['at once when it may not', { reconnect: false }, [cut(sse(delta('a'), 0))], 1],
    ['when the rest was forgotten', {}, [cut(sse(delta('a'), 0)), refuse(404)], 2],
    ['when the rest is nothing', {}, [cut(sse(delta('a'), 0)), refuse(204)], 2],
  ] as const)('a broken answer ends as incomplete %s', async (_when, options, handlers, requests) => {
    const { url, asked } = await serve(...handlers);
    const events = await read({ url, ...options });
    expect(events).toMatchObject([delta('a'), { type: 'error', code: 'stream-incomplete', retryable: true }]);
    expect(asked.filter(({ method }) => method !== 'DELETE')).toHaveLength(requests);
  });

  it('a broken answer of a locked phone goes on once it is unlocked, whatever the number of failures', async () => {
    const page = { visibilityState: 'hidden' };
    vi.stubGlobal('document', page);
    const { setTimeout: inTime } = globalThis;
    const isPause = (ms: number): boolean => ms >= 100 && ms <= 8000;
    const soon = (callback: () => void, ms = 0, ...rest: []): unknown =>
      inTime(callback, isPause(ms) ? 0 : ms, ...rest);
    vi.stubGlobal('setTimeout', soon);
    const unlocked: Handler = (...exchange) => {
      page.visibilityState = 'visible';
      refuse(502)(...exchange);
    };
    const locked = Array.from({ length: 10 }, () => refuse(502));
    const { url, asked } = await serve(cut(sse(delta('a'), 0)), ...locked, unlocked, say(sse(finish, 1)));
    try {
      expect(await read({ url, reconnect: { attempts: 1 } })).toEqual([delta('a'), finish]);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(asked.filter(({ method }) => method === 'GET')).toHaveLength(12);
  });

  it('a broken answer ends as incomplete when the server cannot resume streams', async () => {
    const { url, asked } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sse(delta('a'), 0));
    });
    expect(await read({ url })).toMatchObject([delta('a'), { code: 'stream-incomplete' }]);
    expect(asked).toHaveLength(1);
  });

  it('a broken answer ends with the reason when it may not be read any more', async () => {
    const { url } = await serve(cut(sse(delta('a'), 0)), refuse(401));
    expect((await read({ url })).at(-1)).toMatchObject({ code: 'some-code', message: 'Why.' });
  });
});

describe('an answer of a page that was away', () => {
  it.each([
    ['is told as unread after minutes without a byte', 200_000, { wasUnread: true }],
    ['is told as broken while the page runs', 0, {}],
  ] as const)('an answer that the proxy has no more %s', async (_when, awayMs, told) => {
    const now = Date.now;
    let isAway = false;
    const { url } = await serve(cut(sse(delta('a'), 0)), (...exchange) => {
      isAway = true;
      refuse(404)(...exchange);
    });
    const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + (isAway ? awayMs : 0));
    try {
      const error = { ...failure('stream-incomplete', expect.any(String) as string, true), ...told };
      expect(await read({ url })).toEqual([delta('a'), error]);
    } finally {
      spy.mockRestore();
    }
  });

  it('a call whose page was frozen for longer than it may take begins its time anew', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      let say = (_text: string): void => undefined;
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => void (say = (text) => stream.enqueue(new TextEncoder().encode(text))),
      });
      const fetch = async (): Promise<Response> => new Response(body);
      const timeouts = { idleMs: Infinity, totalMs: 900_000 };
      const stream = proxyInference({ url: '/api', fetch, timeouts }).stream(request, {
        signal: new AbortController().signal,
      });
      const got: InferenceEvent[] = [];
      say(sse(delta('a'), 0));
      const reading = (async () => {
        for await (const event of stream) {
          got.push(event);
          if (got.length > 1) continue;
          vi.setSystemTime(Date.now() + 1_000_000);
          vi.advanceTimersByTime(timeouts.totalMs);
          say(sse(finish, 1));
        }
      })();
      await vi.waitFor(() => {
        vi.advanceTimersByTime(10);
        expect(got).toHaveLength(2);
      });
      await reading;
      expect(got).toEqual([delta('a'), finish]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the pause before the next connection', () => {
  it.each(['online', 'visibilitychange'])('a pause of a page ends with the event %s', async (type) => {
    const page = { visibilityState: 'hidden' };
    vi.stubGlobal('document', page);
    const window = new EventTarget();
    vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
    vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window));
    vi.useFakeTimers();
    try {
      let isOver = false;
      const pause = reconnectPause(9, null, new AbortController().signal).then(() => (isOver = true));
      // It is hidden once more, which is no return.
      window.dispatchEvent(new Event(type));
      await Promise.resolve();
      expect(isOver).toBe(false);
      page.visibilityState = 'visible';
      window.dispatchEvent(new Event(type));
      await pause;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    }
  });
});

describe('a call of the proxy', () => {
  it('a complete call has read its answer to the end', async () => {
    let isCancelled = false;
    let isClosed = false;
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(stream) {
        if (pulls++ === 0) return stream.enqueue(new TextEncoder().encode(sse(finish, 0)));
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (!isCancelled) stream.close();
        isClosed = true;
      },
      cancel: () => void (isCancelled = true),
    });
    const events = await read({ url: '/api', fetch: async () => new Response(body) });
    await vi.waitFor(() => expect(isClosed).toBe(true));
    expect([events, isCancelled]).toEqual([[finish], false]);
  });

  it('an aborted call ends the stream on the server', async () => {
    const { url, asked } = await serve((response) => void open(response).write(sse(delta('a'), 0)));
    const controller = new AbortController();
    const reading = read({ url, headers: { 'x-user': 'ada' } }, { signal: controller.signal });
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    setTimeout(() => controller.abort(new Error('stop')), 30);
    await expect(reading).rejects.toThrow('stop');
    await vi.waitFor(() => expect(asked[1]).toMatchObject({ method: 'DELETE', url: '/v1/inference/s1' }));
    expect(asked[1]?.headers['x-user']).toBe('ada');
  });

  it('a call that is aborted during its wait to reconnect rejects at once', async () => {
    const { url, asked } = await serve(cut(sse(delta('a'), 0)), refuse(503, { 'retry-after': '30' }));
    const controller = new AbortController();
    const reading = read({ url }, { signal: controller.signal });
    await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 3000 });
    controller.abort(new Error('stop'));
    await expect(reading).rejects.toThrow('stop');
  });

  it.each([
    ['does not begin', { firstEventMs: 1000 }, [] as string[]],
    ['does not end', { totalMs: 1000 }, [sse(delta('a'), 0)]],
  ])('a call that %s in time ends with that error, here and on the server', async (_what, timeouts, said) => {
    const { url, asked } = await serve((response) => void open(response).write(`: ping\n\n${said.join('')}`));
    const events = await read({ url, timeouts });
    expect(events.at(-1)).toMatchObject({ code: 'upstream-timeout', retryable: true });
    await vi.waitFor(() => expect(asked.at(-1)?.method).toBe('DELETE'));
  });

  it('a call with unlimited time finishes', async () => {
    const { url } = await serve((response) => {
      open(response).write(sse(delta('a'), 0));
      setTimeout(() => response.end(sse(finish, 1)), 60);
    });
    const timeouts = { firstEventMs: Infinity, idleMs: Infinity, totalMs: Infinity };
    expect(await read({ url, timeouts })).toEqual([delta('a'), finish]);
  });

  it('a call skips unknown events, and counts them', async () => {
    const news = [sse({ type: 'later', x: 1 }, 1), sse({ type: 'later' }, 2), sse({ type: 'newer' }, 3)];
    const { url, asked } = await serve(cut(sse(delta('a'), 0), ...news), say(sse(finish, 4)));
    const skipped: unknown[] = [];
    expect(await read({ url, onUnknownEvent: (...what) => skipped.push(what) })).toEqual([
      delta('a'),
      finish,
    ]);
    expect(skipped).toEqual([
      ['later', 1],
      ['later', 2],
      ['newer', 3],
    ]);
    expect(asked[1]?.headers['last-event-id']).toBe('3');
  });

  it('a call is named by its inference id, and otherwise by an id of its own', async () => {
    const { url, asked } = await serve(say(sse(finish, 0)));
    await read({ url }, { inferenceId: 'mine' });
    await read({ url });
    await read({ url });
    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect([keys[0], new Set(keys).size]).toEqual(['mine', 3]);
  });

  it.each(['', '/', '//'])('a call finds a proxy whose url ends with "%s"', async (end) => {
    const { url, asked } = await serve(say(sse(finish, 0)));
    await read({ url: `${url}/api${end}` });
    expect(asked[0]?.url).toBe('/api/v1/inference');
  });

  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '9' }, 9000],
    [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1000],
    [{}, null],
  ])('a call that is rejected with %o waits %o ms', async (headers, retryAfterMs) => {
    const { url } = await serve(refuse(429, headers));
    expect(await read({ url })).toMatchObject([
      { type: 'error', code: 'some-code', retryable: true, retryAfterMs },
    ]);
  });

  it('a call of an unreachable server says so', async () => {
    const { url, stop } = await serve();
    stop();
    expect(await read({ url })).toMatchObject([{ code: 'proxy-unreachable', retryable: true }]);
  });
});

it(
  'a call ends with one last event and never rejects, whatever a server sends',
  { timeout: 3_600_000 },
  async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'data: ',
        'id: 1\n',
        'event: x\n',
        '\n',
        '\r',
        '\r\n',
        ':',
        '\uFEFF',
        '{',
        '}',
        '[]',
        'null',
        '"',
      ),
      fc
        .constantFrom(
          delta('a'),
          finish,
          { type: 'later' },
          { type: 'error', code: 1 },
          { type: 'finish' },
          [],
          7,
        )
        .map((value) => `data: ${JSON.stringify(value)}\n\n`),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => new TextEncoder().encode(pieces.join(''))),
      fc.uint8Array({ maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 40 }), async (sent, size) => {
        const body = new ReadableStream<Uint8Array>({
          start(stream) {
            for (let at = 0; at < sent.length; at += size) stream.enqueue(sent.slice(at, at + size));
            stream.close();
          },
        });
        const events = await read({ url: '/api', fetch: async () => new Response(body) });
        const ends = events.filter(({ type }) => type === 'finish' || type === 'error');
        expect(ends).toEqual([events.at(-1)]);
      }),
      { numRuns: Number(process.env['PROVE_STREAMS'] ?? 500) },
    );
  },
);

it('a call whose client code cannot be loaded fails like one of an unreachable proxy, and may be retried', async () => {
  vi.doMock('./proxy-inference-stream.ts', () => {
    throw new Error('offline');
  });
  vi.resetModules();
  const { proxyInference } = await import('./proxy-inference.ts');
  const { signal } = new AbortController();
  const events: InferenceEvent[] = [];
  const stream = proxyInference({ url: '/api' }).stream({} as InferenceRequest, { signal });
  for await (const event of stream) events.push(event);
  vi.doUnmock('./proxy-inference-stream.ts');
  expect(events).toEqual([
    {
      type: 'error',
      code: 'proxy-unreachable',
      message: expect.stringContaining('cannot be loaded') as string,
      retryable: true,
      retryAfterMs: null,
    },
  ]);
});
