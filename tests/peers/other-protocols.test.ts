import { join } from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { type AgentSession, createAgentSession } from '@vitrine/core';
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { clients, framesIn } from './ag-ui-clients.ts';
import { folderOfTest } from '../folder-of-test.ts';
import { dbosHost } from '../../packages/server/src/dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from '../../packages/server/src/dbos/host-databases.fixture.ts';
import type { SessionHost } from '../../packages/server/src/host/session-host.ts';
import { serveClerk, type ServedClerk, textOf } from '../../packages/server/src/served-clerk.fixture.ts';
import { sqliteHost } from '../../packages/server/src/sqlite/sqlite-host.ts';

const newDatabase = hostDatabases();
/** Hosts that are opened over the same storage each time. */
const hosts = {
  async SQLite(): Promise<() => SessionHost> {
    const path = join(folderOfTest('other-protocols'), 'sessions.db');
    return () => sqliteHost({ path });
  },
  async DBOS({ skip }: TestContext): Promise<() => SessionHost> {
    const url = await newDatabase();
    return url === null ? skip(noPostgres) : () => dbosHost({ url, version: '1' });
  },
};
type HostName = keyof typeof hosts;
// `npm test` has one host, `npm run prove` both.
const hostNames = (Object.keys(hosts) as HostName[]).slice(
  0,
  process.env['WITHOUT_PROOFS'] === undefined ? 2 : 1,
);
const serveOn = async (name: HostName, context: TestContext): Promise<ServedClerk> =>
  serveClerk({ host: (await hosts[name](context))() });

const bothAnswers = 'look:a|Next: look:a.|All of it is done|look:b|Next: look:b.|All of it is done';

const signIn = (name: string) => ({ authorization: `Bearer ${name}` });

/** The session as a page of a person follows it. */
function pageOf(served: ServedClerk, sessionId: string, name = 'anna'): AgentSession {
  const { agents, sessions } = served.remoteOf(name);
  const session = createAgentSession({ agent: agents.clerk, sessions, sessionId, publish: 'immediate' });
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return session;
}

/** Stops a session by the command that pages give. */
async function stop({ url }: ServedClerk, sessionId: string, name = 'anna'): Promise<number> {
  const { status } = await fetch(`${url}/agents/clerk/sessions/${sessionId}/commands`, {
    method: 'POST',
    headers: { ...signIn(name), 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'stop', id: crypto.randomUUID(), message: 'Enough' }),
  });
  return status;
}

/** Fewer than the steps that a run has. */
const many = Array.from({ length: 16 }, (_entry, at) => `look:${at}`).join(' ');

const [latest] = clients;
describe.each([
  ...clients.map(([version, Client]) => ['SQLite', version, Client] as const),
  ['DBOS', ...latest] as const,
])('over %s, a client of AG-UI %s', (host, _version, Client) => {
  const clientOf = ({ url }: ServedClerk, threadId: string, name = 'anna'): HttpAgent =>
    new Client({ url: `${url}/agents/clerk/ag-ui`, threadId, headers: signIn(name) });

  it('a client of AG-UI sends a message, and its session is the one that pages follow', async (context) => {
    const served = await serveOn(host, context);
    const client = clientOf(served, 'thread-1');
    client.addMessage({ id: 'u1', role: 'user', content: 'look:a' });
    await client.runAgent();
    expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(client.messages.at(-1)?.content).toBe('All of it is done');
    client.addMessage({ id: 'u2', role: 'user', content: 'look:b' });
    await client.runAgent();
    expect(served.deeds).toEqual(['look a', 'look b']);
    const page = pageOf(served, 'thread-1');
    await expect.poll(() => textOf(page)).toBe(bothAnswers);
  });

  it('a client of AG-UI answers a call that waits for approval', async (context) => {
    const served = await serveOn(host, context);
    const client = clientOf(served, 'thread-1');
    client.addMessage({ id: 'u1', role: 'user', content: 'refund:a' });
    const finished: unknown[] = [];
    await client.runAgent({}, { onRunFinishedEvent: ({ event }) => void finished.push(event) });
    const outcome = (finished[0] as { outcome: { interrupts: { id: string }[] } }).outcome;
    const [interrupt] = outcome.interrupts;
    expect(served.deeds).toEqual([]);
    const resume = [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }];
    await client.runAgent({ resume: resume as never });
    expect(served.deeds).toEqual(['refund a']);
    expect(client.messages.at(-1)?.content).toBe('All of it is done');
  });

  it('a client of AG-UI is told that the command stop of the server ended the run', async (context) => {
    const served = await serveOn(host, context);
    const client = clientOf(served, 'thread-1');
    client.addMessage({ id: 'u1', role: 'user', content: many });
    const run = client.runAgent().catch((thrown: unknown) => thrown);
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    expect(await stop(served, 'thread-1')).toBe(202);
    expect(await run).toEqual({ result: undefined, newMessages: expect.any(Array) });
    expect(served.deeds.length).toBeLessThan(16);
  });

  it('a client of AG-UI sees nothing of the thread of another person', async (context) => {
    const served = await serveOn(host, context);
    const anna = clientOf(served, 'thread-1');
    anna.addMessage({ id: 'u1', role: 'user', content: 'look:secret' });
    await anna.runAgent();
    const ben = clientOf(served, 'thread-1', 'ben');
    ben.addMessage({ id: 'u2', role: 'user', content: 'look:mine' });
    await ben.runAgent();
    expect(JSON.stringify(ben.messages)).not.toContain('secret');
    expect(textOf(pageOf(served, 'thread-1'))).not.toContain('mine');
  });
});

/** A request of AG-UI in thread-1. */
const postAgUi = (
  { url }: ServedClerk,
  body: object,
  { name = 'anna', query = '', signal }: { name?: string; query?: string; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(`${url}/agents/clerk/ag-ui${query}`, {
    method: 'POST',
    headers: { ...signIn(name), 'content-type': 'application/json' },
    body: JSON.stringify({ threadId: 'thread-1', runId: 'r1', messages: [], ...body }),
    ...(signal && { signal }),
  });
/** A message of a user in a request of AG-UI. */
const asked = (content: string) => ({ messages: [{ id: 'u1', role: 'user', content }] });

describe.each(hostNames)('over %s, requests of AG-UI', (host) => {
  const behind = ({ url }: ServedClerk, id: string, name = 'anna'): Promise<Response> =>
    fetch(`${url}/agents/clerk/ag-ui`, { headers: { ...signIn(name), 'last-event-id': id } });

  /** The last id of a run whose connection is cut after its first deeds. */
  async function cutAfterDeeds(served: ServedClerk): Promise<string> {
    const cut = new AbortController();
    const { body } = await postAgUi(served, asked(`${many} pay:last`), { signal: cut.signal });
    let told = '';
    const read = async (): Promise<void> => {
      for await (const piece of body!.pipeThrough(new TextDecoderStream())) told += piece;
    };
    const reading = read().catch(() => undefined);
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    await expect.poll(() => framesIn(told).length).toBeGreaterThan(3);
    cut.abort();
    await reading;
    return framesIn(told).at(-1)!.id;
  }

  it('a run goes on without its reader, who gets the rest behind the last event', async (context) => {
    const served = await serveOn(host, context);
    const id = await cutAfterDeeds(served);
    const rest = await behind(served, id);
    const frames = framesIn(await rest.text());
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED' });
    expect(served.deeds).toContain('pay last');
    expect((await behind(served, id, 'ben')).status).toBe(410);
  });

  it('a reader gets the rest from the next process', async (context) => {
    const open = await hosts[host](context);
    const served = await serveClerk({ host: open() });
    const id = await cutAfterDeeds(served);
    await served.server.stop({ graceMs: 1000 });
    const next = await serveClerk({ host: open() });
    const frames = framesIn(await (await behind(next, id)).text());
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED' });
    expect([...served.deeds, ...next.deeds].filter((deed) => deed === 'pay last')).toHaveLength(1);
  });
});

/** A Chat of a person that the server runs. */
function chatOf({ url }: ServedClerk, id: string, name = 'anna'): Chat<UIMessage> {
  const api = `${url}/agents/clerk/chat`;
  return new Chat({
    id,
    transport: new DefaultChatTransport({ api, headers: signIn(name) }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}

/** The texts of a Chat, one after the other. */
const textIn = ({ messages }: Chat<UIMessage>): string =>
  messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('|');

describe.each(hostNames)('over %s, a Chat of the AI SDK', (host) => {
  it('a Chat sends messages, and its session is the one that pages follow', async (context) => {
    const served = await serveOn(host, context);
    const chat = chatOf(served, 'chat-1');
    await chat.sendMessage({ text: 'look:a' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    await chat.sendMessage({ text: 'look:b' });
    expect(textIn(chat)).toBe(bothAnswers);
    const page = pageOf(served, 'chat-1');
    await expect.poll(() => textOf(page)).toBe(bothAnswers);
    expect(served.deeds).toEqual(['look a', 'look b']);
  });

  it('a Chat answers a call that waits for approval', async (context) => {
    const served = await serveOn(host, context);
    const chat = chatOf(served, 'chat-1');
    await chat.sendMessage({ text: 'refund:a' });
    const part = chat.lastMessage?.parts.find(({ type }) => type.startsWith('tool-'));
    expect(part).toMatchObject({ state: 'approval-requested' });
    await chat.addToolApprovalResponse({
      id: (part as { approval: { id: string } }).approval.id,
      approved: true,
    });
    await expect.poll(() => textIn(chat)).toBe('refund:a|Next: refund:a.|All of it is done');
    expect(served.deeds).toEqual(['refund a']);
  });

  it('a Chat is told that the command stop of the server ended the run', async (context) => {
    const served = await serveOn(host, context);
    const chat = chatOf(served, 'chat-1');
    const sent = chat.sendMessage({ text: many });
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    expect(await stop(served, 'chat-1')).toBe(202);
    await sent;
    expect(chat.status).toBe('ready');
    expect(served.deeds.length).toBeLessThan(16);
  });

  it('a Chat joins a run again that goes on without it, and gets nothing once it has ended', async (context) => {
    const served = await serveOn(host, context);
    const before = chatOf(served, 'chat-1');
    const sent = before.sendMessage({ text: many });
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    await before.stop();
    await sent;
    const after = chatOf(served, 'chat-1');
    after.messages = before.messages.slice(0, 1);
    await after.resumeStream();
    expect(textIn(after)).toMatch(/^look:0.*\|Next: look:0\..*\|Next: look:15\.\|All of it is done$/);
    expect(served.deeds).toHaveLength(16);
    await after.resumeStream();
    expect([after.status, after.error]).toEqual(['ready', undefined]);
  });

  it('a Chat sees nothing of the chat of another person', async (context) => {
    const served = await serveOn(host, context);
    const anna = chatOf(served, 'chat-1');
    const sent = anna.sendMessage({ text: many });
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    const ben = chatOf(served, 'chat-1', 'ben');
    await ben.resumeStream();
    expect([ben.messages, ben.error]).toEqual([[], undefined]);
    await ben.sendMessage({ text: 'pay:mine' });
    expect(textIn(ben)).toBe('pay:mine|Next: pay:mine.|All of it is done');
    await stop(served, 'chat-1');
    await sent;
    expect(textIn(anna)).not.toContain('mine');
  });
});

describe('requests in another protocol that a server refuses', () => {
  it.each([
    ['a session of another owner', {}, { query: '?owner=ben' }, 404],
    ['an id that is none of a session', { threadId: 'a\u0000b' }, {}, 400],
    ['a body that is no input', { messages: 'none' }, {}, 400],
    [
      'a tool that only the client knows',
      { ...asked('Hi'), tools: [{ name: 'paint', description: '', parameters: {} }] },
      {},
      400,
    ],
    ['context of the client', { ...asked('Hi'), context: [{ description: 'Page', value: '1' }] }, {}, 400],
  ] as const)('a request of AG-UI with %s is refused', async (_what, body, given, status) => {
    const served = await serveClerk();
    const answer = await postAgUi(served, body, given);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining('title')]);
  });

  it.each([
    ['no messages', {}, 400],
    ['a message without parts', { messages: [{ id: 'm', role: 'user' }] }, 400],
    ['no message of the user', { messages: [] }, 400],
    ['an id that is none of a session', { id: 'a\u0000b', messages: [] }, 400],
  ] as const)('a request of a Chat with %s is refused', async (_what, body, status) => {
    const { url } = await serveClerk();
    const { status: actual } = await fetch(`${url}/agents/clerk/chat`, {
      method: 'POST',
      headers: { ...signIn('anna'), 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'chat-1', trigger: 'submit-message', ...body }),
    });
    expect(actual).toBe(status);
  });

  it('a Chat is told why a command was refused', async () => {
    const served = await serveClerk({ access: (_principal, _address, act) => act === 'follow' });
    const chat = chatOf(served, 'chat-1');
    await chat.sendMessage({ text: 'pay:a' });
    expect(chat.error?.message).toContain('You may follow this session, but not command in it.');
    expect(served.deeds).toEqual([]);
  });

  it('a Chat counts as a page does for the quota of requests', async () => {
    const served = await serveClerk({ quotas: { requests: { points: 2, seconds: 600 } } });
    const chat = chatOf(served, 'chat-1');
    await chat.sendMessage({ text: 'look:a' });
    expect(chat.error).toBeUndefined();
    await chat.sendMessage({ text: 'look:b' });
    expect(chat.error?.message).toContain('quota-exceeded');
    expect(served.deeds).toEqual(['look a']);
    expect(await stop(served, 'chat-1')).toBe(202);
  });
});

/** The messages of `console.error` until the test ends. */
function loggedErrors(): readonly unknown[][] {
  const { mock } = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  return mock.calls;
}

/** A host whose bus loses every nth batch of a run. */
function losing(host: SessionHost, every: number): SessionHost {
  let batches = 0;
  const say: SessionHost['bus']['say'] = (address, message) => {
    const { kind } = message as { readonly kind?: string };
    if (kind !== 'batch' || ++batches % every > 0) host.bus.say(address, message);
  };
  return { ...host, bus: { ...host.bus, say } };
}

it.each([1, 2, 3, 7])(
  'a client of AG-UI has every message of a run of which one batch in %i is lost between processes',
  async (every) => {
    const path = join(folderOfTest('lost-batches'), 'sessions.db');
    const served = await serveClerk({ host: losing(sqliteHost({ path }), every) });
    const [[, Client]] = clients;
    const client = new Client({ url: `${served.url}/agents/clerk/ag-ui`, headers: signIn('anna') });
    client.addMessage({ id: 'u1', role: 'user', content: 'look:a pay:b' });
    await client.runAgent();
    expect(client.messages.map(({ role, content }) => [role, content ?? ''])).toEqual([
      ['user', 'look:a pay:b'],
      ['assistant', 'Next: look:a.'],
      ['tool', 'found a'],
      ['assistant', 'Next: pay:b.'],
      ['tool', 'paid b'],
      ['assistant', 'All of it is done'],
    ]);
    expect(served.deeds).toEqual(['look a', 'pay b']);
  },
);

describe('streams of a server that stops', () => {
  const sentence = expect.stringMatching(/has ended this stream.*Ask again/) as string;

  it('a Chat is told that its stream ended before the run, and the log has no stack', async () => {
    const served = await serveClerk();
    const logged = loggedErrors();
    const chat = chatOf(served, 'chat-1');
    const sent = chat.sendMessage({ text: many });
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    await served.server.stop({ graceMs: 1000 });
    await sent;
    expect([chat.status, chat.error?.message]).toEqual(['error', sentence]);
    expect(logged).toEqual([]);
  });

  it('a client of AG-UI is told that its stream ended before the run, and the log has no stack', async () => {
    const served = await serveClerk();
    const logged = loggedErrors();
    const { body } = await postAgUi(served, asked(many));
    const told = new Response(body).text();
    await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
    await served.server.stop({ graceMs: 1000 });
    const last = (await told).trim().split('\n\n').at(-1) ?? '';
    expect(JSON.parse(last.replace('data: ', ''))).toEqual({
      type: 'RUN_ERROR',
      code: 'stream-incomplete',
      message: sentence,
    });
    expect(logged).toEqual([]);
  });

  it.each(clients)(
    'a client of AG-UI %s shows a stream that the server ended as an error',
    async (_version, Client) => {
      const served = await serveClerk();
      loggedErrors();
      const client = new Client({ url: `${served.url}/agents/clerk/ag-ui`, headers: signIn('anna') });
      client.addMessage({ id: 'u1', role: 'user', content: many });
      const failed: unknown[] = [];
      const run = client.runAgent({}, { onRunErrorEvent: ({ event }) => void failed.push(event.message) });
      const ended = run.catch(() => null);
      await expect.poll(() => served.deeds.length).toBeGreaterThan(1);
      await served.server.stop({ graceMs: 1000 });
      await ended;
      expect(failed).toEqual([sentence]);
    },
  );
});
