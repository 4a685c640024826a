import {
  type AgentSession,
  createAgentSession,
  defineAgent,
  type InferenceClient,
  Message,
  loadedSession,
} from '@vitrine/core';
import { httpSessions, type FullSessionStore } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
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
/** The messages that a newly opened session shows. */
async function reloaded(): Promise<string[]> {
  const session = open(server.as('anna'), []);
  await session.ready;
  const texts = said(session);
  await session.dispose();
  return texts;
}

describe('a session on a server', () => {
  it('a session on a server is complete after a reload', async () => {
    const session = open(server.as('anna'), ['One', 'Two']);
    await session.sendMessage('First');
    await session.sendMessage('Second');
    await session.dispose();
    expect(await reloaded()).toEqual(['First', 'One', 'Second', 'Two']);
  });

  it('a session keeps the messages of two pages when one of them was behind', async () => {
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
    'a session loses and doubles nothing while every %s of a write is lost for a while',
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

  it('a session continues after its server was killed between two requests and restarted', async () => {
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
      /^Session "a" could not be (read|written): the session server did not answer \(.*\)\. Check that it runs and that this device is online\.$/,
    );
    store = sqliteSessions({ path: database.path });
    server = await serveSessions(store, { port: Number(port) });
    await session.flush();
    expect(await reloaded()).toEqual(['First', 'One', 'Second', 'Two']);
    await session.dispose();
  });
});

describe('texts that are longer than a head may be', () => {
  const marked = (mark: string, length: number): string => `${mark}-mark `.repeat(Math.ceil(length / 11));
  /** All stored data of a person: heads, rows and records. */
  const bytes = async (): Promise<string> => {
    const rows = store.rows('anna');
    const ids = [...(await rows.heads()).keys()];
    return JSON.stringify(
      await Promise.all(
        ids.map(async (id) => {
          const found = await rows.read(id);
          return [found?.text, [...(found?.rows ?? [])], found?.tail];
        }),
      ),
    );
  };

  it.each([100_000, 1_000_000])('a draft of %i characters is saved, comes back, and goes', async (length) => {
    const draft = marked('draft', length);
    const session = open(server.as('anna'), ['One']);
    await session.sendMessage('First');
    session.setDraft(draft);
    expect(await session.flush()).toEqual({ stored: true });
    expect(session.store.getState().persistence).toMatchObject({ status: 'saved', error: null });
    const head = await store.rows('anna').head('a');
    expect(head?.text.length).toBeLessThan(8192);
    await session.dispose();
    const again = open(server.as('anna'), ['Two']);
    await again.ready;
    expect(again.store.getState().draft).toBe(draft);
    again.setDraft('');
    await again.flush();
    expect(await bytes()).not.toContain('draft-mark');
    await again.dispose();
  });

  it.each([100_000, 1_000_000])('a queued message of %i characters is saved and sent', async (length) => {
    const text = marked('queue', length);
    let answer = (): void => undefined;
    const answering = new Promise<void>((resolve) => (answer = resolve));
    const inference: InferenceClient = {
      async *stream(request, options) {
        await answering;
        yield* scriptedInference([{ text: 'Done' }]).stream(request, options);
      },
    };
    const agent = defineAgent({ name: 'agent', inference });
    const session = createAgentSession({ agent, sessions: server.as('anna'), sessionId: 'a' });
    const first = session.sendMessage('First');
    const [kept, removed] = [session.sendMessage(text), session.sendMessage(marked('gone', length))];
    await expect.poll(() => session.store.getState().queue.length).toBe(2);
    expect(await session.flush()).toEqual({ stored: true });
    const stored = loadedSession(await server.as('anna').load('a'));
    expect(stored?.queue.map((entry) => entry.text)).toEqual([text, marked('gone', length)]);
    session.cancelQueued(stored?.queue[1]?.id ?? '');
    await session.flush();
    expect(await bytes()).not.toContain('gone-mark');
    answer();
    expect((await Promise.all([first, kept, removed])).map(({ status }) => status)).toEqual([
      'done',
      'done',
      'cancelled',
    ]);
    await session.dispose();
    const after = loadedSession(await server.as('anna').load('a'));
    expect(after?.queue).toEqual([]);
    expect(await reloaded()).toEqual(['First', 'Done', text, 'Done']);
    const rows = await store.rows('anna').read('a');
    expect([...(rows?.rows.keys() ?? [])].filter((name) => name.startsWith('hed.'))).toEqual([]);
  });
});

it('a server that is no session server is not an empty store', async () => {
  const json =
    (value: unknown, status = 200) =>
    async () =>
      Response.json(value, { status });
  for (const [send, message] of [
    [json({}, 404), 'the server answered 404 (http-404). It is no session server'],
    [json({ code: 'not-found', detail: 'There is nothing.' }, 404), '404 (not-found). There is nothing.'],
    [json({ hello: 'world' }), 'something other than sessions'],
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
    await expect(sessions.load('a').then(loadedSession)).rejects.toMatchObject({ code: 'session-storage' });
    await expect(sessions.list()).rejects.toThrow(message);
  }
});

it('a session of somebody who is not signed in says so before a message is sent, and is read after the sign-in', async () => {
  const kept = open(server.as('anna'), ['One']);
  await kept.sendMessage('First');
  await kept.dispose();
  let headers: Record<string, string> = {};
  const session = open(httpSessions({ url: server.url, headers: () => headers }), ['Two']);
  await session.ready;
  expect(session.store.getState()).toMatchObject({ status: 'error', error: { code: 'unauthorized' } });
  expect(await session.sendMessage('Second')).toMatchObject({
    status: 'refused',
    error: { code: 'unauthorized', message: expect.stringContaining('Sign in first.') as string },
  });
  headers = { 'x-user': 'anna' };
  await session.retry();
  expect(session.store.getState()).toMatchObject({ status: 'ready', error: null });
  await session.sendMessage('Second');
  expect(said(session)).toEqual(['First', 'One', 'Second', 'Two']);
  await session.dispose();
});

it('a session whose page the server refuses has the code of the refusal', async () => {
  const send = async (): Promise<Response> =>
    Response.json({ code: 'origin-not-allowed', detail: 'Not from here.' }, { status: 403 });
  const session = open(httpSessions({ url: '/api', fetch: send }), []);
  await session.ready;
  expect(session.store.getState()).toMatchObject({ status: 'error', error: { code: 'origin-not-allowed' } });
  await session.dispose();
});

it('a session that does not exist is read without a 404, and an older server may still answer one', async () => {
  const older: typeof fetch = (input, init) => fetch(String(input).replace('?absent', ''), init);
  for (const [send, statuses] of [
    [older, [404]],
    [fetch, [200]],
  ] as const) {
    const seen = new Set<number>();
    const watched: typeof fetch = async (input, init) => {
      const response = await send(input, init);
      if (init?.method === 'GET') seen.add(response.status);
      return response;
    };
    const session = open(server.as('anna', watched), ['One']);
    await session.ready;
    expect(session.store.getState()).toMatchObject({ status: 'ready', error: null });
    if (send === fetch) await session.sendMessage('First');
    await session.dispose();
    expect([...seen]).toEqual(statuses);
  }
  expect(await reloaded()).toEqual(['First', 'One']);
  // The answer means nothing for a list.
  const odd = server.as('anna', async () => Response.json({ absent: true }));
  await expect(odd.list()).rejects.toThrow('something other than sessions');
});

it('a client without a limit of time waits as long as the server takes', async () => {
  const slow: typeof fetch = async (input, init) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    init?.signal?.throwIfAborted();
    return fetch(input, init);
  };
  const headers = { 'x-user': 'anna' };
  const sessions = httpSessions({ url: server.url, headers, fetch: slow, timeoutMs: Infinity });
  expect(loadedSession(await sessions.load('a'))).toBeNull();
});
