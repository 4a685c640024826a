import { join } from 'node:path';
import { defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { type AgentServer, createAgentServer } from './create-agent-server.ts';
import { dbosHost } from './dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from './dbos/host-databases.fixture.ts';
import type { SessionHost } from './host/session-host.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const newDatabase = hostDatabases();
const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'A secret' }]) });
const send = (id: string): object => ({
  type: 'send',
  id,
  message: { text: 'Hi' },
  options: {},
  onBusy: 'queue',
});

/** A server, and the names of the calls of its host, which are its work for a request. */
function serverOf(host: SessionHost): { server: AgentServer; calls: string[] } {
  const calls: string[] = [];
  const counted = new Proxy(host, {
    get(target, name: keyof SessionHost) {
      const value: unknown = target[name];
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(name);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  const server = createAgentServer({
    agents: { clerk },
    host: counted,
    lingerMs: 50,
    log: () => undefined,
    authorize: ({ headers }) => ({ id: headers.get('authorization') ?? 'nobody' }),
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  return { server, calls };
}

type Asked = readonly [what: string, path: string, body?: object];

/** The answer to a request, without what differs in every answer. */
async function answerTo(server: AgentServer, who: string, [, path, body]: Asked): Promise<string> {
  const response = await server.fetch(
    new Request(`http://localhost/agents/clerk/sessions${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: who, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  while (!isStream || !text.includes('"document"')) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    if (done) break;
    text += value;
  }
  await reader?.cancel();
  const names = [...response.headers.keys()].toSorted().join();
  return `${response.status} ${names} ${text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{4,}/g, '#')}`;
}

describe('sessions of another person', () => {
  for (const kind of ['SQLite', 'DBOS'])
    it(
      `a foreign session looks like one that does not exist, in answers, size and work, with ${kind}`,
      { timeout: 60_000 },
      async ({ skip }) => {
        const url = kind === 'DBOS' ? await newDatabase() : '';
        if (url === null) return skip(noPostgres);
        const path = join(folderOfTest('server'), 'sessions.db');
        const { server, calls } = serverOf(
          kind === 'DBOS' ? dbosHost({ url, version: '1' }) : sqliteHost({ path }),
        );
        await server.ready;
        await answerTo(server, 'anna', ['', '/owned/commands', send('c1')]);
        const known = (): Promise<string> => answerTo(server, 'anna', ['', '/owned/commands/c1']);
        await expect.poll(known).toContain('answer');
        // A list of two has a cursor behind its first.
        await answerTo(server, 'anna', ['', '/second/commands', send('c1')]);
        await expect
          .poll(() => answerTo(server, 'anna', ['', '?search=secret']))
          .toMatch(/owned.*second|second.*owned/);
        await new Promise((resolve) => setTimeout(resolve, 400));
        const asked = (id: string, owner: string): readonly Asked[] => [
          ['an answer', `/${id}/commands/c1`],
          ['the list', ''],
          ['a page of the list of its owner', `?owner=${owner}&limit=1`],
          ['a search in the list of its owner', `?owner=${owner}&limit=1&search=secret`],
          ['the events', `/${id}/events`],
          ['an answer of its owner', `/${id}/commands/c1?owner=anna`],
          ['the events of its owner', `/${id}/events?owner=anna`],
          ['a command to its owner', `/${id}/commands?owner=anna`, send('c2')],
        ];
        for (const [i, foreign] of asked('owned', 'anna').entries()) {
          const missing = asked('never', 'nobody').at(i) ?? foreign;
          calls.length = 0;
          const one = await answerTo(server, 'ben', foreign);
          const workOfOne = calls.splice(0);
          const other = await answerTo(server, 'ben', missing);
          expect(one.replaceAll('owned', 'never'), foreign[0]).toBe(other);
          expect(workOfOne, foreign[0]).toEqual(calls);
          expect(one).not.toContain('secret');
        }
      },
    );
});
