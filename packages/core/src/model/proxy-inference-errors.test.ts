import { expect, it, vi } from 'vitest';
import { open, request, serve } from './answering-server.fixture.ts';
import type { InferenceEvent } from './inference-client.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { proxyInference } from './proxy-inference.ts';
import { explainError } from '../kit/explain-error.ts';
import { bodiless } from '../../../../tests/serve-fetch.ts';

async function read(
  options: ProxyInferenceOptions,
  signal = new AbortController().signal,
): Promise<InferenceEvent[]> {
  const events: InferenceEvent[] = [];
  for await (const event of proxyInference(options).stream(request, { signal })) events.push(event);
  return events;
}

const never = (): Promise<never> => new Promise(() => undefined);
const methodsOf = (asked: readonly { method?: string | undefined }[]): (string | undefined)[] =>
  asked.map(({ method }) => method);

it('headers that an application never returns are awaited no longer than the answer itself', async () => {
  const options = { url: 'http://127.0.0.1:9', headers: never, timeouts: { firstEventMs: 50 } };
  expect(await read(options)).toMatchObject([{ type: 'error', code: 'upstream-timeout', retryable: true }]);
});

it('an abort during the creation of headers takes effect at once', async () => {
  const controller = new AbortController();
  const reading = read({ url: 'http://127.0.0.1:9', headers: never }, controller.signal);
  setTimeout(() => controller.abort(new Error('stopped')), 20);
  await expect(reading).rejects.toThrow('stopped');
});

it('an answer that cannot be parsed is ended on the server too', async () => {
  const { url, asked } = await serve((response) => open(response).write('data: <html>\n\n'));
  expect(await read({ url })).toMatchObject([{ type: 'error', code: 'stream-malformed' }]);
  await vi.waitFor(() => expect(methodsOf(asked)).toEqual(['POST', 'DELETE']));
});

it('an HTML page in place of the proxy is named in the error, and not requested again', async () => {
  const { url } = await serve((response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><p>Hi'),
  );
  const [event, ...more] = await read({ url });
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: 'error', code: 'proxy-unreachable', retryable: false });
  expect(event).toHaveProperty('message', expect.stringContaining(`${url}/v1/inference`));
});

it.each([404, 405])(
  'a server without a proxy is named with its address when it answers %d',
  async (status) => {
    const { url, asked } = await serve((response) => response.writeHead(status).end('Cannot POST'));
    const message = `There is no Vitrine proxy at POST ${url}/v1/inference (${status}): mount one (guide/proxy), or set \`proxyInference({ url })\` to its address.`;
    expect(await read({ url })).toMatchObject([
      { type: 'error', code: 'proxy-unreachable', retryable: false, message },
    ]);
    expect(asked).toHaveLength(1);
  },
);

it.each([
  [401, 'The sign-in is over: sign in again.', 'unauthorized'],
  [403, 'It refused the request, or wants a check of the browser: reload the page.', 'unauthorized'],
  [413, 'The request is too large for it: raise its limit for bodies', 'body-too-large'],
  [502, 'It does not reach the proxy: see that it runs.', 'internal-error'],
])(
  'a page of a server in front with status %d is told with address, status and cause',
  async (status, cause, texts) => {
    const { url } = await serve((response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><p>Hi'),
    );
    const [event] = await read({ url });
    const what = `A server in front of the proxy answered POST ${url}/v1/inference with status ${status} and a web page. ${cause}`;
    expect(event).toMatchObject({ code: `http-${status}`, status, message: expect.stringContaining(what) });
    expect(explainError({ code: `http-${status}` }).code).toBe(texts);
  },
);

it.each<[number, string, string]>([
  [401, '{"code":401,"message":"No key"}', 'No key'],
  [403, '{"code":"ERR_FORBIDDEN","message":"This address is blocked"}', 'This address is blocked'],
  [401, '{"detail":"Not authenticated"}', 'Not authenticated'],
  [422, '{"detail":[{"msg":"field required"}],"title":"Invalid"}', 'Invalid'],
  [503, '{"code":{"a":1},"detail":"It is gone","retryable":"no"}', 'It is gone'],
])(
  'JSON of a gateway with status %d is told as that of a server in front: %s',
  async (status, body, said) => {
    const { url } = await serve((response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    );
    const [event] = await read({ url });
    const what = `A server in front of the proxy answered POST ${url}/v1/inference with status ${status}.`;
    expect(event).toMatchObject({ code: `http-${status}`, status, retryable: status === 503 });
    expect(event).toHaveProperty('message', expect.stringContaining(what));
    expect(event).toHaveProperty('message', expect.stringMatching(new RegExp(` It said: ${said}$`)));
  },
);

it.each([
  ['application/json', '{"error":"unauthenticated"}'],
  ['application/problem+json; charset=utf-8', '{}'],
  ['application/xhtml+xml', '<html/>'],
])('an answer of the type %s in place of a stream is named, and not requested again', async (type, body) => {
  const { url, asked } = await serve((response) =>
    response.writeHead(200, { 'content-type': type }).end(body),
  );
  const message = `There is no Vitrine proxy at POST ${url}/v1/inference (${type}): mount one (guide/proxy), or set \`proxyInference({ url })\` to its address.`;
  expect(await read({ url })).toMatchObject([{ code: 'proxy-unreachable', retryable: false, message }]);
  expect(asked).toHaveLength(1);
});

it.each([200, 405])(
  'a redirect to a sign-in page that answers %d is told as a sign-in that is over',
  async (status) => {
    const { url } = await serve((response, { url: path }) => {
      if (path?.startsWith('/login'))
        response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Sign in');
      else response.writeHead(302, { location: '/login' }).end();
    });
    const [event, ...more] = await read({ url });
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      code: 'unauthorized',
      retryable: false,
      message: expect.stringContaining(`redirected POST ${url}/v1/inference to ${url}/login`),
    });
    expect(explainError({ code: 'unauthorized' }).person).toBe('Sign in first.');
  },
);

it('a page with an address that cannot be parsed gets the address, and no second attempt', async () => {
  vi.stubGlobal('location', { href: 'http://localhost:5173/', origin: 'http://localhost:5173' });
  const [event, ...more] = await read({ url: 'http://[' });
  const [elsewhere] = await read({ url: 'http://127.0.0.1:9' });
  vi.unstubAllGlobals();
  expect(more).toEqual([]);
  expect(elsewhere).toMatchObject({ code: 'proxy-unreachable', retryable: true });
  expect(elsewhere).toHaveProperty(
    'message',
    expect.stringContaining('`allowedOrigins` has http://localhost:5173.'),
  );
  expect(event).toMatchObject({ code: 'proxy-unreachable', retryable: false });
  expect(event).toHaveProperty('message', expect.stringContaining('http://[/v1/inference is not an address'));
});

it('an answer that restarts at every connection is not read again and again', async () => {
  const { url, asked } = await serve((response) => {
    const event = (id: number): string => `id: ${id}\ndata: {"type":"text-delta","delta":"a"}\n\n`;
    // The second connection delivers more at once than the first, as from a log.
    const count = asked.length === 1 ? 2 : 5;
    open(response).write(Array.from({ length: count }, (_, at) => event(at)).join(''));
    setTimeout(() => response.destroy(), 20);
  });
  const [event, end, ...more] = await read({ url, timeouts: { totalMs: 4000 } });
  expect([event, more]).toEqual([{ type: 'text-delta', delta: 'aa' }, []]);
  expect(end).toMatchObject({ type: 'error', code: 'stream-incomplete' });
  expect(end).toHaveProperty('message', expect.stringContaining('Last-Event-ID'));
  await vi.waitFor(() => expect(methodsOf(asked)).toEqual(['POST', 'GET', 'DELETE']));
});

it('an answer continues when onUnknownEvent of the application throws', async () => {
  const { url } = await serve((response) =>
    open(response).end(
      'id: 0\ndata: {"type":"of-tomorrow"}\n\nid: 1\ndata: {"type":"text-delta","delta":"a"}\n\n',
    ),
  );
  const onUnknownEvent = vi.fn<() => void>(() => {
    throw new Error('no console here');
  });
  const [event] = await read({ url, onUnknownEvent, reconnect: false });
  expect(event).toEqual({ type: 'text-delta', delta: 'a' });
  expect(onUnknownEvent).toHaveBeenCalledWith('of-tomorrow', 1);
});

it('a fetch without body streams, as that of React Native, is told with the fetch to take', async () => {
  const fetch = async (): Promise<Response> => bodiless();
  expect(await read({ url: 'http://localhost', fetch })).toMatchObject([
    {
      type: 'error',
      code: 'env-invalid',
      retryable: false,
      message:
        'This `fetch` gives no `response.body` to read as it comes. Give one that does, in React Native that of `expo/fetch`: `proxyInference({ url, fetch })`.',
    },
  ]);
});
