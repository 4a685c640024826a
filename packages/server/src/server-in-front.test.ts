import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpSessions, isAgentError, proxyInference } from '@vitrine/core';
import { agentServer } from '@vitrine/react/server';
import { expect, it, onTestFinished } from 'vitest';
import { request } from '../../../tests/upstream/plain-request.ts';

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
