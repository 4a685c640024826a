import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentSession, createAgentSession, isAgentError, proxyInference } from '@vitrine/core';
import { httpSessions } from '@vitrine/persist';
import { agentServer } from '@vitrine/react/server';
import { expect, it, onTestFinished } from 'vitest';
import { request } from '../../../tests/upstream/plain-request.ts';
import { serveClerk, textOf } from './served-clerk.fixture.ts';

/** The code and the sentence of a failure. */
type Failure = { readonly code: unknown; readonly message: string };

async function thrownBy(asking: Promise<unknown>): Promise<Failure> {
  const thrown = await asking.then(
    () => null,
    (error: unknown) => error,
  );
  if (!isAgentError(thrown)) throw new Error('It did not fail.');
  return thrown;
}

/** The clients of a page, each with its failure at an address. */
const clients: Readonly<Record<string, (url: string) => Promise<Failure>>> = {
  async proxyInference(url) {
    const { signal } = new AbortController();
    for await (const event of proxyInference({ url }).stream(request, { signal }))
      if (event.type === 'error') return event;
    throw new Error('It did not fail.');
  },
  agentServer: (url) => thrownBy(agentServer({ url }).sessions.list({ agentName: 'clerk' })),
  httpSessions: (url) => thrownBy(httpSessions({ url }).list()),
  'a write of httpSessions': (url) => thrownBy(httpSessions({ url }).remove('s1')),
};

/** An address at which a server in front answers everything with a page. */
async function frontWith(status: number): Promise<string> {
  const front = createServer((asked, response) => {
    if (status === 302 && asked.url !== '/login') response.writeHead(302, { location: '/login' }).end();
    else response.writeHead(status === 302 ? 200 : status, { 'content-type': 'text/html' }).end('<p>A page');
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(() => void front.close());
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}/api`;
}

const told: readonly (readonly [number, RegExp])[] = [
  [302, /redirected (GET|POST|DELETE) http:.*\/login \(status 200\), as it does when the sign-in is over/],
  [401, /in front of .* answered .* with status 401 and a web page\. The sign-in is over/],
  [403, /in front of .* with status 403 and a web page\. It refused the request/],
  [413, /in front of .* with status 413 and a web page\. The request is too large/],
  [502, /in front of .* with status 502 and a web page\. It does not reach /],
  [504, /in front of .* with status 504 and a web page\. It does not reach /],
];
const notThere = /There is no Vitrine proxy at|Is the server of agents mounted there|It is no session server/;

it.each(Object.entries(clients))(
  '%s tells a server in front with its status and cause',
  async (_name, ask) => {
    for (const [status, sentence] of told) {
      const url = await frontWith(status);
      const { code, message } = await ask(url);
      expect(message).toMatch(sentence);
      expect(message).toContain(`${url}/`);
      expect(message).not.toMatch(notThere);
      if (status === 302) expect(code).toBe('unauthorized');
    }
    for (const status of [200, 404, 405])
      expect((await ask(await frontWith(status))).message).toMatch(notThere);
  },
);

/** The ways in which a server in front does not take a command. */
const refusals: Readonly<Record<string, () => Promise<Response>>> = {
  'a lost connection': () => Promise.reject(new TypeError('Failed to fetch')),
  'the page of a gateway': async () =>
    new Response('<p>Bad gateway', { status: 502, headers: { 'content-type': 'text/html' } }),
  'a sign-in that is over': async () => new Response('', { status: 401 }),
  'too many requests': async () => new Response('', { status: 429 }),
};

it('a message that a server in front does not let through is unsent while events come, and is given once later', async () => {
  const { deeds, remoteOf } = await serveClerk();
  let isShut = false;
  function device(sessionId: string, given: typeof fetch): AgentSession {
    const { agents, sessions } = remoteOf('anna', given);
    const session = createAgentSession({ agent: agents.clerk, sessions, sessionId });
    onTestFinished(async () => void (await session.dispose()));
    return session;
  }
  const phones = Object.entries(refusals).map(([way, refuse], at) => ({
    way,
    id: `s${at}`,
    phone: device(`s${at}`, async (input, init) =>
      isShut && init?.method === 'POST' ? refuse() : fetch(input, init),
    ),
  }));
  await Promise.all(phones.map(({ phone }) => phone.sendMessage('hello')));
  isShut = true;
  const sending = phones.map(async ({ way, id, phone }) => {
    const shown = phone.store.getState;
    const sent = phone.sendMessage(`look:${id}`);
    await expect
      .poll(() => shown().unsent, { message: way })
      .toMatchObject([{ type: 'message', text: `look:${id}` }]);
    await device(id, fetch).sendMessage('look:b');
    // The event stream of the phone is open.
    await expect.poll(() => textOf(phone), { message: way }).toContain('look:b');
    expect(shown(), way).toMatchObject({ where: 'nobody', unsent: [{ text: `look:${id}` }] });
    return async () => {
      expect(await sent, way).toMatchObject({ outcome: 'completed' });
      expect(shown(), way).toMatchObject({ where: 'server', unsent: [] });
      expect(deeds.filter((deed) => deed === `look ${id}`)).toHaveLength(1);
    };
  });
  const arriving = await Promise.all(sending);
  isShut = false;
  await Promise.all(arriving.map((arrive) => arrive()));
});
