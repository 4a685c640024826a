import { createAgentSession } from '@vitrine/core';
import { expect, it, onTestFinished } from 'vitest';
import { serveClerk, textOf } from './served-clerk.fixture.ts';

const origin = 'https://chat.example';
/** The request headers that a page may set without asking. */
const safelisted = ['accept', 'accept-language', 'content-language'];

/**
 * The fetch of a page of an origin: it asks before every request that is not simple, and reads only what it may, as
 * browsers do.
 */
function fetchOf(page: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const own = [...request.headers.keys()].filter((name) => !safelisted.includes(name));
    const asks = { origin: page, 'access-control-request-method': request.method };
    const preflight = await fetch(request.url, {
      method: 'OPTIONS',
      headers: { ...asks, 'access-control-request-headers': own.join(',') },
    });
    const allowed = (name: string): readonly string[] =>
      (preflight.headers.get(name) ?? '')
        .toLowerCase()
        .split(',')
        .map((each) => each.trim());
    const mayRead = ({ headers }: Response): boolean =>
      headers.get('access-control-allow-origin') === page &&
      headers.get('access-control-allow-credentials') === 'true';
    const mayAsk =
      mayRead(preflight) &&
      [request.method.toLowerCase(), 'get', 'post'].includes(request.method.toLowerCase()) &&
      allowed('access-control-allow-methods').includes(request.method.toLowerCase()) &&
      own.every((name) => allowed('access-control-allow-headers').includes(name));
    if (!mayAsk) throw new TypeError(`The preflight of ${request.method} was refused.`);
    const headers = new Headers(request.headers);
    headers.set('origin', page);
    // Of the signal of an intermediate request Node may let go.
    const response = await fetch(request, { headers, signal: init?.signal ?? null });
    if (!mayRead(response)) throw new TypeError('The answer is hidden from this page.');
    return response;
  };
}

it('a page of an allowed origin follows, sends offline and comes back, and reads why it is refused', async () => {
  const { url, remoteOf } = await serveClerk({ allowedOrigins: [origin] });
  const page = fetchOf(origin);
  let isOffline = false;
  const cut = { now: new AbortController() };
  const { agents, sessions } = remoteOf('anna', async (input, init) => {
    if (isOffline) throw new TypeError('The network is gone.');
    const signals = [cut.now.signal, ...(init?.signal ? [init.signal] : [])];
    return page(input, { ...init, signal: AbortSignal.any(signals) });
  });
  const session = createAgentSession({
    agent: agents.clerk,
    sessions,
    sessionId: 's1',
    publish: 'immediate',
  });
  onTestFinished(async () => void (await session.dispose()));
  expect(await session.sendMessage('hello')).toMatchObject({ outcome: 'completed' });
  isOffline = true;
  cut.now.abort();
  const sent = session.sendMessage('look:a');
  await expect.poll(() => session.store.getState().unsent.length).toBeGreaterThan(0);
  [isOffline, cut.now] = [false, new AbortController()];
  expect(await sent).toMatchObject({ outcome: 'completed' });
  expect(textOf(session)).toContain('Next: look:a.');
  const refused = await page(`${url}/agents/clerk/sessions/none`, {
    headers: { authorization: 'Bearer anna' },
  });
  expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'session-not-found' }]);
});

it('a page of another origin can neither read nor ask', async () => {
  const { url } = await serveClerk({ allowedOrigins: [origin] });
  const foreign = fetchOf('https://other.example');
  await expect(foreign(`${url}/agents`, { headers: { authorization: 'Bearer anna' } })).rejects.toThrow(
    /preflight/,
  );
});
