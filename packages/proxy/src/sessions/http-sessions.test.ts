import { type AgentSession, createAgentSession, defineAgent, httpSessions, Message } from '@vitrine/core';
import type { FullSessionStore } from '@vitrine/core/stores';
import { scriptedInference } from '@vitrine/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultyFetch, type ServedSessions, serveSessions } from './served-sessions.fixture.ts';
import type { ServerSessions } from './server-sessions.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

// Every step is a request over a real connection.
vi.setConfig({ testTimeout: 60_000 });

let database: ReturnType<typeof temporaryDatabase>;
let store: ServerSessions;
let server: ServedSessions;
beforeEach(async () => {
  database = temporaryDatabase();
  store = sqliteSessions({ path: database.path });
  server = await serveSessions(store);
});
afterEach(async () => {
  await server.close();
  await store.close();
  database.erase();
});

function open(sessions: FullSessionStore, answers: readonly string[]): AgentSession {
  const inference = scriptedInference(answers.map((text) => ({ text })));
  const agent = defineAgent({ name: 'agent', systemPrompt: 'Be brief.', inference });
  return createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate' });
}
const said = (session: AgentSession): string[] =>
  session.store
    .getState()
    .state.context.store.sections.flatMap(({ messages }) => messages)
    .map((message) => Message.text(message));
/** What somebody reads who opens the session now. */
async function reloaded(): Promise<string[]> {
  const session = open(server.as('anna'), []);
  await session.ready;
  const texts = said(session);
  await session.dispose();
  return texts;
}

describe('a session on a server', () => {
  it('is there after a reload, with all that was said', async () => {
    const session = open(server.as('anna'), ['One', 'Two']);
    await session.sendMessage('First');
    await session.sendMessage('Second');
    await session.dispose();
    expect(await reloaded()).toEqual(['First', 'One', 'Second', 'Two']);
  });

  it('keeps what both of two pages sent, when one of them was behind', async () => {
    const pages = [open(server.as('anna'), ['One']), open(server.as('anna'), ['Two'])] as const;
    await Promise.all(pages.map(({ ready }) => ready));
    await pages[0].sendMessage('First');
    await pages[0].flush();
    await pages[1].sendMessage('Second');
    await pages[1].flush();
    expect(await reloaded()).toEqual(['First', 'One', 'Second', 'Two']);
    await Promise.all(pages.map((page) => page.dispose()));
  });

  it.each(['answer', 'request'] as const)(
    'neither loses nor doubles anything where every %s of a write is lost for a while',
    async (at) => {
      const { send, fault } = faultyFetch();
      const session = open(server.as('anna', send), ['One', 'Two', 'Three']);
      await session.sendMessage('First');
      fault.at = at;
      await session.sendMessage('Second');
      await session.flush().catch(() => undefined);
      expect(session.store.getState().persistence).toMatchObject({
        status: 'degraded',
        error: { code: 'session-storage' },
      });
      fault.at = null;
      await session.sendMessage('Third');
      await session.flush();
      expect(said(session)).toEqual(['First', 'One', 'Second', 'Two', 'Third', 'Three']);
      expect(await reloaded()).toEqual(said(session));
      expect((await server.as('anna').list()).sessions).toHaveLength(1);
      await session.dispose();
    },
  );

  it('goes on when its server was killed between two requests and started again', async () => {
    const session = open(server.as('anna'), ['One', 'Two']);
    await session.sendMessage('First');
    await session.flush();
    const { port } = new URL(server.url);
    await server.close();
    await store.close();
    await session.sendMessage('Second');
    await vi.waitFor(() => expect(session.store.getState().persistence.status).toBe('degraded'));
    const { error } = session.store.getState().persistence;
    expect(error?.message).toMatch(
      /^Session "a" could not be (read|written): the server of the sessions did not answer \(.*\)\. See that it runs and that this device is online\.$/,
    );
    store = sqliteSessions({ path: database.path });
    server = await serveSessions(store, { port: Number(port) });
    await session.flush();
    expect(await reloaded()).toEqual(['First', 'One', 'Second', 'Two']);
    await session.dispose();
  });
});

it('a server that is none is no empty store', async () => {
  const json =
    (value: unknown, status = 200) =>
    async () =>
      Response.json(value, { status });
  for (const [send, message] of [
    [json({}, 404), 'the server answered 404 (http-404). It is no server of sessions'],
    [json({ code: 'not-found', detail: 'There is nothing.' }, 404), '404 (not-found). There is nothing.'],
    [json({ hello: 'world' }), 'something else than sessions'],
    [async () => new Response('<html>'), 'did not answer'],
    [() => new Promise<Response>(() => undefined), 'did not answer'],
  ] as const) {
    const late: typeof fetch = (_input, init) =>
      Promise.race([
        send(),
        new Promise<never>((_, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
        ),
      ]);
    const sessions = httpSessions({ url: '/api/', fetch: late, timeoutMs: 50 });
    await expect(sessions.load('a')).rejects.toMatchObject({ code: 'session-storage' });
    await expect(sessions.list()).rejects.toThrow(message);
  }
});

it('waits as long as it takes for a server whose answers are not limited', async () => {
  const slow: typeof fetch = async (input, init) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    init?.signal?.throwIfAborted();
    return fetch(input, init);
  };
  const headers = { 'x-user': 'anna' };
  const sessions = httpSessions({ url: server.url, headers, fetch: slow, timeoutMs: Infinity });
  expect(await sessions.load('a')).toBeNull();
});
