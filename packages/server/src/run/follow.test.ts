import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AgentState,
  type AgentSession,
  createAgentSession,
  defineAgent,
  defineTool,
  loadedSession,
  Message,
  Usage,
} from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import { deleteSession } from '@vitrine/persist';
import { linkFromJSON } from '@vitrine/persist/internal/link/link-json';
import { type LinkMessage } from '@vitrine/persist/internal/link/protocol';
import { agentServer } from '@vitrine/react/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import { type AgentServer, createAgentServer } from '../create-agent-server.ts';
import { dbosHost } from '../dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from '../dbos/host-databases.fixture.ts';
import type { SessionHost } from '../host/session-host.ts';
import { sqliteHost } from '../sqlite/sqlite-host.ts';
import { beatMs, say } from './bus-message.ts';
import { follow } from './follow.ts';

const look = defineTool({
  input: z.object({}),
  name: 'look',
  description: 'Looks something up',
  effects: 'idempotent',
  execute: () => sleep(60, 'found'),
});

/** A model that looks something up for `look`, and says as many words as the message has letters. */
const clerk = defineAgent({
  name: 'clerk',
  budget: { maxSteps: 7 },
  tools: [look],
  inference: {
    async *stream({ messages }) {
      const from = messages.findLastIndex(({ role }) => role === 'user');
      const said =
        messages[from]?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      yield { type: 'start', id: crypto.randomUUID(), model: 'scripted' };
      const isLooking = said.startsWith('look') && from === messages.length - 1;
      for (const letter of said) {
        await sleep(4);
        yield { type: 'text-delta', delta: ` ${letter}` };
      }
      if (isLooking) yield { type: 'tool-call', toolCallId: 'call', toolName: 'look', input: {} };
      const finishReason = isLooking ? 'tool-calls' : 'stop';
      yield { type: 'finish', finishReason, usage: { ...Usage.none(), isExact: true } };
    },
  },
});
const agents = { clerk };
type Server = AgentServer<typeof agents>;

const address = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
const bytes = (session: AgentSession): string =>
  JSON.stringify(AgentState.toJSON(session.store.getState().state));

/** Hosts over the same data, as two processes have them; only the first runs sessions. */
type Hosts = () => Promise<readonly [SessionHost, SessionHost] | null>;

const hostsInSqlite: Hosts = async () => {
  const path = join(folderOfTest('follow'), 'sessions.db');
  return [sqliteHost({ path }), sqliteHost({ path, waitMs: 300_000 })];
};
const newDatabase = hostDatabases();
const hostsInDbos: Hosts = async () => {
  const url = await newDatabase();
  if (url === null) return null;
  return [dbosHost({ url, version: '1' }), dbosHost({ url, version: '1' })];
};

/** A server over a host. One that runs no sessions begins none; in SQLite it hears nothing of the other one either. */
function serverOf(host: SessionHost, isRunning: boolean): Server {
  const server = createAgentServer({
    agents,
    host: isRunning ? host : { ...host, start: async () => undefined },
    lingerMs: 100,
    log: () => undefined,
    authorize: ({ headers }) => ({ id: headers.get('authorization') ?? 'anna' }),
    // The bytes of a follower are those of the store only with the prompts in them.
    access: ({ id }, { owner }) => id === owner,
  });
  onTestFinished(() => server.stop({ graceMs: 0 }));
  return server;
}

/** The data of the server-sent events in a text that may end in mid event. */
const messagesIn = (text: string): readonly LinkMessage[] =>
  [...text.matchAll(/(?<!event: person\n)data: (\{.*)\n\n/g)].flatMap(
    ([, data = '']) => linkFromJSON(JSON.parse(data)) ?? [],
  );

/** A device that follows one of the servers, over a connection that can be cut. */
function deviceOf(first: Server) {
  let [server, cut] = [first, new AbortController()];
  let heard = '';
  const asked: (string | null)[] = [];
  const statuses: string[] = [];
  const tap = new TextDecoder();
  const remote = agentServer<Server>({
    url: 'http://localhost/api',
    async fetch(input, init) {
      const request = new Request(input, init);
      if (request.method === 'GET') asked.push(request.headers.get('last-event-id'));
      const response = await server.fetch(request);
      if (request.method !== 'GET' || response.body === null) return response;
      const tapped = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          heard += tap.decode(chunk, { stream: true });
          controller.enqueue(chunk);
        },
      });
      const { signal } = cut;
      const body = response.body.pipeThrough(tapped, { signal: AbortSignal.any([signal, request.signal]) });
      return new Response(body, { status: response.status, headers: response.headers });
    },
  });
  const session = createAgentSession({
    agent: remote.agents.clerk,
    sessions: remote.sessions,
    sessionId: 's1',
    publish: 'immediate',
  });
  session.store.subscribe(({ status }) => void (statuses.at(-1) === status ? 0 : statuses.push(status)));
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return {
    session,
    asked,
    statuses,
    heard: () => heard,
    /** The next connection goes to a server. */
    use: (next: Server) => void (server = next),
    /** Ends the connection; the next one goes to a server. */
    cut(next: Server = server) {
      server = next;
      cut.abort();
      cut = new AbortController();
    },
  };
}

/** The stored session as a session without a server reads it. */
async function storedIn(host: SessionHost): Promise<string> {
  const session = createAgentSession({ agent: clerk, sessions: host.sessions('anna'), sessionId: 's1' });
  await session.ready;
  const stored = bytes(session);
  await session.dispose();
  return stored;
}

async function atRest(host: SessionHost): Promise<void> {
  const left = async (): Promise<unknown> => [
    (await host.pending(address)).map(({ command }) => command.type),
    await host.isAwake(address),
  ];
  await expect.poll(left, { timeout: 30_000 }).toEqual([[], false]);
}

type Act = { readonly waitMs: number; readonly act: 'talk' | 'look' | 'edit' | 'replace' | 'cut' | 'move' };
const course: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 5, 30, 80, 200, 600),
    act: fc.constantFrom('talk', 'look', 'edit', 'replace', 'replace', 'cut', 'move'),
  }) as fc.Arbitrary<Act>,
  { minLength: 3, maxLength: 8 },
);

async function play(acts: readonly Act[], [host, other]: readonly [SessionHost, SessionHost]) {
  const servers = [serverOf(host, true), serverOf(other, false)] as const;
  await servers[0].ready;
  const [device, sender] = [deviceOf(servers[0]), deviceOf(servers[0])];
  let at = 0;
  const sent: Promise<unknown>[] = [sender.session.sendMessage('hello')];
  for (const [index, { waitMs, act }] of acts.entries()) {
    await sleep(waitMs);
    if (act === 'talk' || act === 'look') sent.push(sender.session.sendMessage(`${act} ${index}`));
    else if (act === 'edit') {
      const first = AgentState.messages(sender.session.store.getState().state)[0];
      if (first !== undefined) sent.push(sender.session.edit(first.id, `edit ${index}`));
    }
    // The lease of the runner ends at its next write, and the next run of the session has another.
    else if (act === 'replace') {
      const sessions = host.sessions('anna');
      if ((await sessions.load('s1')).kind === 'there') await sessions.takeEpoch('s1');
    } else if (act === 'cut') device.cut();
    else device.cut(servers[(at += 1) % 2]);
  }
  await Promise.all(sent);
  await atRest(host);
  return { servers, device, sender };
}

it('a follower at a process that does not run the session sees a run that goes on elsewhere, also for long', async () => {
  const [host, other] = (await hostsInSqlite()) ?? [];
  if (host === undefined || other === undefined) return;
  const [running, waiting] = [serverOf(host, true), serverOf(other, false)];
  const sender = deviceOf(running);
  const sent = sender.session.sendMessage('x'.repeat(900));
  await expect.poll(() => sender.session.store.getState().status).toBe('streaming');
  const [late, again] = [deviceOf(waiting), deviceOf(running)];
  await expect.poll(() => again.session.store.getState().status).toBe('streaming');
  again.cut(waiting);
  await expect.poll(() => late.session.store.getState().status, { timeout: 5000 }).toBe('streaming');
  expect(await sent).toMatchObject({ outcome: 'completed' });
  for (const { session, statuses } of [late, again]) {
    await expect.poll(() => session.store.getState().status, { timeout: 5000 }).toBe('ready');
    expect(statuses).not.toContain('interrupted');
    expect(bytes(session)).toBe(bytes(sender.session));
  }
});

it('a follower of a session that waits for its run asks less and less often', async () => {
  const [host] = (await hostsInSqlite()) ?? [];
  if (host === undefined) return;
  await host.submit(address, { id: 'c1', type: 'send' }, 'anna');
  let asked = 0;
  const isAwake: SessionHost['isAwake'] = (given) => (asked++, host.isAwake(given));
  const device = deviceOf(serverOf({ ...host, isAwake }, false));
  await expect.poll(() => device.heard()).toContain('"type":"document"');
  asked = 0;
  await sleep(1500);
  // After 0.6 s and 1.8 s; without a growing pause after 0.15, 0.45 and 1.05 s.
  expect(asked).toBeLessThan(3);
});

it('a follower whose runner has gone without a word is shown what is stored, two beats later', async () => {
  const [host] = (await hostsInSqlite()) ?? [];
  if (host === undefined) return;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const device = deviceOf(serverOf(host, true));
  await device.session.sendMessage('hello');
  await atRest(host);
  // Nobody is told of it.
  await deleteSession(host.sessions('anna'), 's1');
  for (let beat = 0; beat < 2; beat++) {
    vi.advanceTimersByTime(beatMs);
    await sleep(100);
  }
  await expect.poll(() => device.session.store.getState().status).toBe('deleted');
});

it('a follower that reads nothing is let go once 8 MiB wait for it', async () => {
  const [host] = (await hostsInSqlite()) ?? [];
  if (host === undefined) return;
  onTestFinished(() => host.stop());
  let hasEnded = false;
  follow({
    host,
    agent: clerk,
    address,
    from: { have: null, seen: null },
    person: 'anna',
    inspects: false,
    signal: new AbortController().signal,
    mayGoOn: async () => true,
    onEnd: () => (hasEnded = true),
  });
  const tell = (n: number): void => {
    const data = JSON.stringify('x'.repeat(1024 * 1024));
    const at = { epoch: 1, n };
    say(host.bus, address, { type: 'link', kind: 'document', to: null, at, stored: null, data });
  };
  for (let n = 1; n <= 7; n++) tell(n);
  await sleep(0);
  expect(hasEnded).toBe(false);
  for (let n = 8; n <= 10; n++) tell(n);
  await sleep(0);
  expect(hasEnded).toBe(true);
});

it('a command has its answer only once the session that shows what it did is stored', async () => {
  const [host] = (await hostsInSqlite()) ?? [];
  if (host === undefined) return;
  const stored: string[] = [];
  const slowly =
    <Args extends unknown[], Value>(write: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => (await sleep(50), write(...args));
  const start: SessionHost['start'] = (run) =>
    host.start((of, lease) => {
      const { sessions } = lease;
      const slow = { save: slowly(sessions.save), append: slowly(sessions.append) };
      return run(of, { ...lease, sessions: { ...sessions, ...slow } });
    });
  const answer: SessionHost['answer'] = async (of, ...rest) => {
    const found = loadedSession(await host.sessions(of.owner).load(of.sessionId));
    stored.push(JSON.stringify(found));
    return host.answer(of, ...rest);
  };
  const { session } = deviceOf(serverOf({ ...host, start, answer }, true));
  expect(await session.sendMessage('abc')).toMatchObject({ outcome: 'completed' });
  session.setDraft('half a word');
  await expect.poll(() => stored).toHaveLength(2);
  expect(stored[0]).toMatch(/"executionStatus":"completed".* a b c/);
  expect(stored[1]).toContain('half a word');
});

it('a follower connects again without a pause when its server says goodbye', async () => {
  const [host, other] = (await hostsInSqlite()) ?? [];
  if (host === undefined || other === undefined) return;
  const [stopping, next] = [serverOf(host, true), serverOf(other, false)];
  const device = deviceOf(stopping);
  await device.session.sendMessage('hello');
  await atRest(host);
  device.use(next);
  // Any pause would last for ever.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = device.asked.length;
  void stopping.stop({ graceMs: 0 });
  for (let turn = 0; turn < 5000 && device.asked.length === before; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(device.asked.length).toBe(before + 1);
});

it('a stream ends within a minute after its person was signed out, and not before', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let isSignedIn = true;
  const server = createAgentServer({
    agents,
    host: sqliteHost({ path: join(folderOfTest('follow'), 'sessions.db') }),
    log: () => undefined,
    authorize: () => (isSignedIn ? { id: 'anna' } : null),
  });
  onTestFinished(() => server.stop({ graceMs: 0 }));
  await server.ready;
  const { body } = await server.fetch(new Request('http://localhost/agents/clerk/sessions/s1/events'));
  const reader = body?.getReader();
  let isOver = false;
  void (async () => {
    while ((await reader?.read())?.done === false);
    isOver = true;
  })();
  await vi.advanceTimersByTimeAsync(60_000);
  isSignedIn = false;
  await vi.advanceTimersByTimeAsync(59_000);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  await expect.poll(() => isOver).toBe(true);
});

// `npm test` has one host, `npm run prove` both.
describe.each([
  ['SQLite', hostsInSqlite, 2] as const,
  ...(process.env['WITHOUT_PROOFS'] === undefined ? [['DBOS', hostsInDbos, 2] as const] : []),
])('followers of a session over HTTP, in %s', (_name, hosts, few) => {
  it(
    'a follower that rejoins anywhere at any process has the stored bytes in the end, and never sees an interrupted run',
    { timeout: 3_000_000 },
    async ({ skip }) => {
      const runs = Number(process.env['PROVE_RUNS'] ?? few);
      let records: number | null = 0;
      await fc.assert(
        fc.asyncProperty(course, async (acts) => {
          const made = await hosts();
          if (made === null) return void (records = null);
          const { servers, device, sender } = await play(acts, made);
          const stored = await storedIn(made[0]);
          await expect.poll(() => bytes(sender.session), { timeout: 10_000 }).toBe(stored);
          for (const server of servers) {
            device.cut(server);
            await expect.poll(() => bytes(device.session), { timeout: 10_000 }).toBe(stored);
            await sleep(400);
            expect(bytes(device.session)).toBe(stored);
          }
          for (const { statuses } of [device, sender]) expect(statuses).not.toContain('interrupted');
          const told = messagesIn(device.heard() + sender.heard());
          records = (records ?? 0) + told.filter(({ type }) => type === 'records').length;
          await Promise.all([device.session.dispose(), sender.session.dispose()]);
          await Promise.all(servers.map((server) => server.stop({ graceMs: 0 })));
        }),
        { numRuns: runs, endOnFailure: true },
      );
      if (records === null) return skip(noPostgres);
      // The law would hold with whole documents too.
      if (runs >= 4) expect(records).toBeGreaterThan(0);
    },
  );
});

/** A page of anna that reaches a server through a function, and a command that it sends. */
function pageOf(
  server: Server,
  through: (request: Request) => Promise<Response> | null,
  headers: () => Record<string, string> = () => ({}),
) {
  const remote = agentServer<Server>({
    url: 'http://localhost/api',
    headers,
    async fetch(input, init) {
      const request = new Request(input, init);
      return (await through(request)) ?? server.fetch(request);
    },
  });
  const open = (): AgentSession => {
    const session = createAgentSession({
      agent: remote.agents.clerk,
      sessions: remote.sessions,
      sessionId: 's1',
      publish: 'immediate',
    });
    onTestFinished(async () => void (await session.dispose()));
    void session.ready;
    return session;
  };
  return { remote, open };
}

describe('a page and a server that it reaches badly, or not at all', () => {
  it('a session that the server refuses to show ends in an error with the sentence, and comes back with the right', async () => {
    const server = serverOf((await hostsInSqlite())?.[0] as SessionHost, true);
    let isSignedIn = false;
    const refusal = { code: 'unauthorized', detail: 'Sign in first.' };
    const { open } = pageOf(
      server,
      async () => (isSignedIn ? null : Response.json(refusal, { status: 401 })) as never,
    );
    const session = open();
    await expect.poll(() => session.store.getState().status).toBe('error');
    expect(session.store.getState().error).toMatchObject({ message: 'Sign in first.' });
    isSignedIn = true;
    await expect.poll(() => session.store.getState().status, { timeout: 10_000 }).toBe('ready');
    expect(session.store.getState().error).toBe(null);
  });

  it('an address where a web server answers everything with its page is named in the list and in the session', async () => {
    const web = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>'),
    );
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    onTestFinished(() => void web.close());
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/api`;
    const remote = agentServer<Server>({ url });
    const sentence = /\/api\/agents.* answered with a page\. Is the server of agents mounted there\?/;
    const refusal = { code: 'not-found', message: expect.stringMatching(sentence) as string };
    await expect(remote.sessions.list({ agentName: 'clerk' })).rejects.toMatchObject(refusal);
    const session = createAgentSession({
      agent: remote.agents.clerk,
      sessions: remote.sessions,
      sessionId: 's1',
    });
    onTestFinished(async () => void (await session.dispose()));
    void session.ready;
    await expect.poll(() => session.store.getState().error, { timeout: 10_000 }).toMatchObject(refusal);
    expect(session.store.getState().status).toBe('error');
  });

  it('a command whose request is lost is given again by itself while the stream stands, before those after it', async () => {
    const server = serverOf((await hostsInSqlite())?.[0] as SessionHost, true);
    let lost = 3;
    const { open } = pageOf(server, async ({ method }) => {
      if (method === 'POST' && lost-- > 0) throw new TypeError('The network is gone.');
      return null as never;
    });
    const session = open();
    await expect.poll(() => session.store.getState().where).toBe('server');
    const [one, two] = await Promise.all([session.sendMessage('one'), session.sendMessage('two')]);
    expect([one.outcome, two.outcome]).toEqual(['completed', 'completed']);
    const said = AgentState.messages(session.store.getState().state).filter(({ role }) => role === 'user');
    expect(said.map(Message.text)).toEqual(['one', 'two']);
  });

  it('what one person sends offline is never given as the next person on this device, and is given when the first is back', async () => {
    const server = serverOf((await hostsInSqlite())?.[0] as SessionHost, true);
    let [isOffline, person] = [false, 'anna'];
    const { open } = pageOf(
      server,
      async ({ method }) => {
        if (isOffline && method === 'POST') throw new TypeError('The network is gone.');
        return null as never;
      },
      () => ({ authorization: person }),
    );
    const texts = (session: AgentSession): readonly string[] =>
      AgentState.messages(session.store.getState().state).map(Message.text);
    const first = open();
    await first.sendMessage('hello');
    isOffline = true;
    void first.sendMessage('secret');
    await sleep(100);
    void first.dispose();
    await sleep(100);
    [isOffline, person] = [false, 'ben'];
    const second = open();
    await second.sendMessage('mine');
    await sleep(1000);
    expect(texts(second)).toEqual(['mine', ' m i n e']);
    await second.dispose();
    person = 'anna';
    const third = open();
    await expect.poll(() => texts(third), { timeout: 10_000 }).toContain('secret');
  });

  it('a follower shows the limits of the agent that runs on the server', async () => {
    const { open } = pageOf(
      serverOf((await hostsInSqlite())?.[0] as SessionHost, true),
      async () => null as never,
    );
    const session = open();
    await session.sendMessage('hello');
    expect(session.store.getState().budget).toEqual(clerk.budget);
    expect(session.store.getState().budget.maxSteps).toBe(7);
  });

  it('a rejoin costs what is missing, however long the session is', async () => {
    const cost = async (messages: number): Promise<number> => {
      const [host] = (await hostsInSqlite()) as readonly [SessionHost, SessionHost];
      const record = { ...blankSession('s1'), agentName: 'clerk' };
      const said = Array.from({ length: messages }, (_, at) =>
        Message.user(`The question of the year ${1000 + at}`),
      );
      const state = AgentState.withMessages(record.state, said);
      await host.sessions('anna').save({ ...record, state }, { expectedVersion: 0 });
      const server = serverOf(host, true);
      const [device, sender] = [deviceOf(server), deviceOf(server)];
      await expect.poll(() => device.session.store.getState().where).toBe('server');
      await device.session.sendMessage('hello');
      await atRest(host);
      // Nothing of the next turn arrives live: how much of it does, hangs on who is faster.
      device.cut({ ...server, fetch: () => Promise.reject(new TypeError('offline')) });
      const before = device.heard().length;
      await sender.session.sendMessage('again');
      await atRest(host);
      device.use(server);
      await expect.poll(() => bytes(device.session), { timeout: 30_000 }).toBe(bytes(sender.session));
      return device.heard().length - before;
    };
    const [short, long] = [await cost(10), await cost(1000)];
    expect(long).toBeLessThan(short * 1.5);
    expect(long).toBeLessThan(20_000);
  });
});
