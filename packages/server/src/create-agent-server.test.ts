import { join } from 'node:path';
import {
  AgentState,
  defineAgent,
  loadedSession,
  Message,
  resolveRecord,
  type SessionStore,
} from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import type { ProxyLogEntry } from '@vitrine/proxy';
import { proxyMetrics } from '@vitrine/proxy/metrics';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { type AgentServer, type AgentServerOptions, createAgentServer } from './create-agent-server.ts';
import type { HostedCommand, SessionHost } from './host/session-host.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const inference = scriptedInference([{ text: 'Hello' }]);
const agents = {
  clerk: defineAgent({ name: 'clerk', version: '2', description: 'Does the work', inference }),
  other: defineAgent({ name: 'other', inference }),
};

function serverOf(options: Partial<AgentServerOptions<typeof agents>> = {}): AgentServer<typeof agents> {
  const server = createAgentServer({
    agents,
    host: sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') }),
    lingerMs: 50,
    log: () => undefined,
    // For tests a token is the name of the person.
    authorize: ({ headers }) => {
      const id = headers.get('authorization');
      return id === null ? null : { id };
    },
    ...options,
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  return server;
}

/** A host that notes each load of a session, by its routes and by its runs. */
function countingLoads(host: SessionHost): { readonly host: SessionHost; readonly loads: string[] } {
  const loads: string[] = [];
  const counting = (store: SessionStore): SessionStore => ({
    ...store,
    async load(id) {
      loads.push(id);
      return store.load(id);
    },
  });
  return {
    loads,
    host: {
      ...host,
      sessions: (owner) => counting(host.sessions(owner)),
      start: (run) =>
        host.start((address, lease) => run(address, { ...lease, sessions: counting(lease.sessions) })),
    },
  };
}

type Asked = { readonly method?: string; readonly body?: unknown; readonly name?: string | null };

async function ask(
  server: AgentServer<typeof agents>,
  path: string,
  { method, body, name = 'anna' }: Asked = {},
): Promise<readonly [number, Record<string, unknown>]> {
  const headers = {
    ...(name !== null && { authorization: name }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const response = await server.fetch(
    new Request(`http://localhost/api${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  return [response.status, (await response.json()) as Record<string, unknown>];
}

const send = (id: string, text = 'Hi'): object => ({
  type: 'send',
  id,
  message: { text },
  options: {},
  onBusy: 'queue',
});
const commands = '/agents/clerk/sessions/s1/commands';

describe('the routes of a server of agents', () => {
  it('a command is answered 202 at once, and its answer is kept', async () => {
    const server = serverOf();
    expect(await ask(server, commands, { body: send('c1') })).toEqual([202, { id: 'c1' }]);
    await expect
      .poll(async () => (await ask(server, `${commands}/c1`))[1])
      .toMatchObject({ id: 'c1', answer: { turn: { status: 'done', outcome: 'completed', stored: true } } });
    const [status, again] = await ask(server, commands, { body: send('c1') });
    expect([status, again]).toMatchObject([202, { answer: { turn: { status: 'done' } } }]);
  });

  it('a command whose answer the disk refuses is answered by the next run, and its message is there once', async () => {
    const host = sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') });
    let refusals = 1;
    const server = serverOf({
      host: {
        ...host,
        async answer(...asked) {
          if (refusals-- > 0) throw new Error('database or disk is full');
          await host.answer(...asked);
        },
      },
    });
    await ask(server, commands, { body: send('c1') });
    await expect
      .poll(async () => (await ask(server, `${commands}/c1`))[1], { timeout: 10_000 })
      .toMatchObject({ answer: { turn: { outcome: 'completed' }, error: null } });
    const record = loadedSession(await host.sessions('anna').load('s1'));
    const messages = record === null ? [] : AgentState.messages(resolveRecord(record).state);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('the list of agents has names, versions, limits and tools, and says which of them the page answers', async () => {
    const [, { agents: listed }] = await ask(serverOf(), '/agents');
    const limits = { budget: agents.clerk.budget, sessionBudget: agents.clerk.sessionBudget };
    expect(listed).toEqual([
      { name: 'clerk', version: '2', description: 'Does the work', ...limits, tools: [], pageTools: [] },
      { name: 'other', version: null, description: '', ...limits, tools: [], pageTools: [] },
    ]);
  });

  it('the list of sessions has those of the principal under that agent', async () => {
    const server = serverOf();
    await ask(server, commands, { body: send('c1') });
    const ids = async (path: string, name: string): Promise<readonly unknown[]> => {
      const [, { sessions }] = await ask(server, path, { name });
      return (sessions as { readonly id: string }[]).map(({ id }) => id);
    };
    await expect.poll(() => ids('/agents/clerk/sessions', 'anna')).toEqual(['s1']);
    expect(await ids('/agents/other/sessions', 'anna')).toEqual([]);
    expect(await ids('/agents/clerk/sessions', 'ben')).toEqual([]);
  });

  it.each<[string, string, Asked, number, RegExp]>([
    ['nobody signed in', '/agents', { name: null }, 401, /Sign in first/],
    ['an unknown agent', '/agents/clark/sessions', {}, 404, /has no such agent\. It has: clerk, other\./],
    ['an agent named like a method of objects', '/agents/constructor/sessions', {}, 404, /no such agent/],
    [
      'an invalid session id',
      '/agents/clerk/sessions/a%0Ab/commands',
      { body: send('c1') },
      400,
      /1 to 200 characters/,
    ],
    ['an unknown command id', `${commands}/nobody`, {}, 404, /No command of this session has that id/],
    [
      'a command with a function',
      commands,
      { body: { type: 'update', id: 'c1' } },
      400,
      /the type is "update"; it must be one of send, stop/,
    ],
    ['a command without an id', commands, { body: { type: 'retry' } }, 400, /id: /],
    [
      'a command with a foreign field',
      commands,
      { body: { type: 'retry', id: 'c1', setMessages: [] } },
      400,
      /setMessages/,
    ],
    ['a body that is no JSON', commands, { body: '{' }, 400, /not valid JSON/],
    [
      'a large command',
      commands,
      { body: send('c1', 'x'.repeat(2000)) },
      413,
      /takes \d+ bytes or more; this server takes 1000/,
    ],
    ['a deep command', commands, { body: '['.repeat(30) }, 400, /30 levels deep/],
    ['another method', commands, { method: 'PUT', body: {} }, 405, /Use GET/],
  ])('%s is refused in a sentence', async (_what, path, asked, status, sentence) => {
    const [found, { detail }] = await ask(
      serverOf({ limits: { commandBytes: 1000, depth: 20 } }),
      path,
      asked,
    );
    expect([found, detail]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it('a session that another agent told is unknown under this one', async () => {
    const server = serverOf();
    await ask(server, commands, { body: send('c1') });
    await expect.poll(async () => (await ask(server, `${commands}/c1`))[1]).toHaveProperty('answer');
    const [status, { code }] = await ask(server, '/agents/other/sessions/s1/commands', { body: send('c2') });
    expect([status, code]).toEqual([404, 'session-not-found']);
  });

  it('a deleted session takes no commands', async () => {
    const host = sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') });
    const server = serverOf({ host });
    await ask(server, commands, { body: send('c1') });
    await expect.poll(async () => (await ask(server, `${commands}/c1`))[1]).toHaveProperty('answer');
    await new Promise((resolve) => setTimeout(resolve, 400));
    await host.sessions('anna').remove('s1');
    const [status, { detail }] = await ask(server, commands, { body: send('c2') });
    expect([status, detail]).toEqual([410, expect.stringMatching(/was deleted, so it takes no commands/)]);
  });

  it('a command for a sleeping session, and a look at its summary, read it once together', async () => {
    const { host, loads } = countingLoads(sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') }));
    const server = serverOf({ host });
    const address = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
    await ask(server, commands, { body: send('c1') });
    await expect.poll(async () => (await ask(server, `${commands}/c1`))[1]).toHaveProperty('answer');
    await expect.poll(() => host.isAwake(address)).toBe(false);
    loads.length = 0;
    expect((await ask(server, '/agents/clerk/sessions/s1'))[1]).toMatchObject({ id: 's1', title: 'Hi' });
    expect(loads).toEqual([]);
    await ask(server, commands, { body: send('c2') });
    await expect.poll(async () => (await ask(server, `${commands}/c2`))[1]).toHaveProperty('answer');
    expect(loads).toEqual(['s1']);
  });

  it('a person begins as many sessions at once as the limit says, and none is listed to count them', async () => {
    const host = sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') });
    let counts = 0;
    const counting = (store: SessionStore): SessionStore => ({
      ...store,
      async list(query) {
        if (query?.id === undefined && query?.status === undefined) counts += 1;
        return store.list(query);
      },
    });
    const server = serverOf({
      host: { ...host, sessions: (owner) => counting(host.sessions(owner)) },
      limits: { sessions: 15 },
    });
    const ids = Array.from({ length: 20 }, (_, i) => `s${i}`);
    const begin = (id: string) => ask(server, `/agents/clerk/sessions/${id}/commands`, { body: send(id) });
    const answers = await Promise.all(ids.map(begin));
    expect(answers.filter(([status]) => status === 202)).toHaveLength(15);
    expect(answers.filter(([status]) => status === 403)).toHaveLength(5);
    expect(counts).toBe(0);
  });

  it('a person grants no more than access allows, and each limit of the agent at most once more', async () => {
    const kept: HostedCommand[] = [];
    const budget = { maxSteps: 5, maxCost: 2, maxTokens: 500, maxSeconds: 60 };
    const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Yes' }]), budget });
    function serve(options: Partial<AgentServerOptions<typeof agents>> = {}): AgentServer<typeof agents> {
      const host = sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') });
      const submit: SessionHost['submit'] = async (address, command, ...rest) => {
        kept.push(command);
        await host.submit(address, command, ...rest);
      };
      return serverOf({ agents: { ...agents, clerk }, host: { ...host, submit }, ...options });
    }
    const goOn = (id: string, grant: object | null) => ({ type: 'continue', id, grant, at: 1 });
    const own = serve();
    await ask(own, commands, { body: send('c1') });
    const [status, { code, detail }] = await ask(own, commands, { body: goOn('c2', { cost: 1 }) });
    expect([status, code]).toEqual([403, 'command-not-allowed']);
    expect(detail).toMatch(/not grant in it\. The option access of the server allows it/);
    expect((await ask(own, commands, { body: goOn('c3', null) }))[0]).toBe(202);
    const free = serve({ access: () => true });
    await ask(free, commands, { body: send('c1') });
    const all = { steps: 1000, cost: 1000, tokens: 1000, seconds: 0.5, deadline: 1e15 };
    expect((await ask(free, commands, { body: goOn('c4', all) }))[0]).toBe(202);
    // The run that takes the command bounds its deadline (`grant-limits.test.ts`).
    const grant = { steps: 5, cost: 2, tokens: 500, seconds: 0.5, deadline: 1e15 };
    expect(kept.at(-1)!.grant).toEqual(grant);
  });

  it.each([
    ['a long title', { type: 'rename', title: 'x'.repeat(501) }, /title/],
    ['a long draft', { type: 'set-draft', draft: 'x'.repeat(32_001) }, /draft/],
    ['a long reason to stop', { type: 'stop', message: 'x'.repeat(2001) }, /message/],
    ['a long name of a message', { type: 'cancel-queued', queuedId: 'x'.repeat(201) }, /queuedId/],
  ])('%s is refused before it is kept', async (_what, body, sentence) => {
    const [status, { detail }] = await ask(serverOf(), commands, { body: { id: 'c1', ...body } });
    expect([status, detail]).toEqual([400, expect.stringMatching(sentence)]);
  });

  it('a name of an owner that no database keeps is refused in a sentence', async () => {
    for (const path of ['/agents/clerk/sessions?owner=%00', '/agents/clerk/sessions/s1?owner=a%0Ab'])
      expect((await ask(serverOf(), path))[1]).toMatchObject({ status: 400, title: 'Invalid owner' });
  });

  it('access decides about following, commanding and approving', async () => {
    const answer = { type: 'answer', id: 'c2', decisions: { a: { approved: true } } };
    const follower = serverOf({ access: (_principal, _address, act) => act === 'follow' });
    expect((await ask(follower, commands, { body: send('c1') }))[0]).toBe(403);
    expect((await ask(follower, '/agents/clerk/sessions/s1/commands/c1'))[0]).toBe(404);
    const maker = serverOf({ access: (_principal, _address, act) => act !== 'approve' });
    expect((await ask(maker, commands, { body: send('c1') }))[0]).toBe(202);
    expect((await ask(maker, commands, { body: answer }))[0]).toBe(403);
    const nobody = serverOf({ access: () => false });
    expect((await ask(nobody, commands, { body: send('c1') }))[1]).toMatchObject({
      code: 'session-not-found',
    });
  });

  it('quotas of the proxy count commands', async () => {
    const server = serverOf({ quotas: { requests: { points: 2, seconds: 60 } } });
    for (const id of ['c1', 'c2']) expect((await ask(server, commands, { body: send(id) }))[0]).toBe(202);
    expect(await ask(server, commands, { body: send('c3') })).toMatchObject([
      429,
      { code: 'quota-exceeded' },
    ]);
    expect((await ask(server, commands, { body: send('c4'), name: 'ben' }))[0]).toBe(202);
  });

  it('metrics and log have model calls by model and outcome with their tokens, times and cost, retries and subagents included', async () => {
    const usage = { inputTokens: 1000, outputTokens: 500, cost: 0.25 };
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps',
      llmConfig: { model: 'small' },
      inference: scriptedInference([{ text: 'Here', usage }]),
    });
    const clerk = defineAgent({
      name: 'clerk',
      llmConfig: { model: 'large' },
      subagents: [helper],
      retry: { baseDelayMs: 1 },
      inference: scriptedInference([
        { error: { code: 'overloaded', message: 'Busy', retryable: true }, usage: null },
        { toolCalls: [{ name: 'delegate', input: { agent: 'helper', task: 'Help' } }], usage },
        { text: 'Done', usage },
        { text: 'A long answer', chunks: 100, delayMs: 50, usage },
      ]),
    });
    const token = 'a-token-of-some-length';
    const lines: ProxyLogEntry[] = [];
    const server = serverOf({
      agents: { ...agents, clerk },
      metrics: proxyMetrics({ token }),
      log: (line) => lines.push(line),
    });
    await ask(server, commands, { body: send('c1') });
    await expect.poll(async () => (await ask(server, `${commands}/c1`))[1]).toHaveProperty('answer');
    await ask(server, commands, { body: send('c2') });
    const figures = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await server.fetch(new Request('http://localhost/metrics', { headers }))).text();
    };
    for (const figure of [
      'vitrine_calls_total{model="large",outcome="completed",code=""} 2',
      'vitrine_calls_total{model="large",outcome="failed",code="overloaded"} 1',
      'vitrine_calls_total{model="small",outcome="completed",code=""} 1',
      'vitrine_tokens_total{model="small",direction="input"} 1000',
      'vitrine_tokens_total{model="small",direction="output"} 500',
      'vitrine_cost_total{model="large"} 0.5',
      'vitrine_call_duration_seconds_count{model="large"} 3',
      'vitrine_first_event_seconds_count{model="small"} 1',
    ])
      expect(await figures()).toContain(figure);
    await expect
      .poll(async () => (await ask(server, '/agents/clerk/sessions/s1'))[1])
      .toMatchObject({ executionStatus: 'in-progress' });
    await ask(server, commands, { body: { type: 'stop', id: 'c3', message: '' } });
    await expect.poll(figures).toContain('vitrine_calls_total{model="large",outcome="cancelled",code=""} 1');
    // The log has a line of each, with the remedy for the one that failed.
    const calls = lines.filter(({ route }) => route === 'model call');
    const told = { principal: 'anna', id: 's1', hint: null };
    expect(calls).toMatchObject([
      { ...told, model: 'large', outcome: 'failed', code: 'overloaded', hint: expect.any(String) as string },
      { ...told, model: 'large', outcome: 'completed', inputTokens: 1000, outputTokens: 500, cost: 0.25 },
      { ...told, model: 'small', outcome: 'completed' },
      { ...told, model: 'large', outcome: 'completed' },
      { ...told, model: 'large', outcome: 'cancelled' },
    ]);
  });

  it('a page of another site is refused', async () => {
    const response = await serverOf().fetch(
      new Request(`http://localhost${commands}`, {
        method: 'POST',
        headers: {
          authorization: 'anna',
          origin: 'https://evil.example',
          'content-type': 'application/json',
        },
        body: JSON.stringify(send('c1')),
      }),
    );
    expect(response.status).toBe(403);
  });

  it('the log names routes without ids, and readiness says why nothing runs', async () => {
    const routes: string[] = [];
    const server = serverOf({ log: ({ route }) => routes.push(route) });
    await server.ready;
    expect(await ask(server, '/readyz', { name: null })).toEqual([200, { status: 'ready' }]);
    await ask(server, commands, { body: send('c1') });
    await ask(server, '/agents/secret-name/sessions');
    const asked = routes.filter((route) => route !== 'model call');
    expect(asked).toEqual(['POST /agents/:agent/sessions/:id/commands', 'GET /agents/:agent/sessions']);
    await server.stop({ graceMs: 0 });
    expect(await ask(server, '/readyz')).toMatchObject([
      503,
      { detail: expect.stringMatching(/the server stops/) },
    ]);
    expect((await ask(server, commands, { body: send('c2') }))[0]).toBe(503);
  });
});

describe('the stream of events', () => {
  async function events(server: AgentServer<typeof agents>, headers = {}): Promise<() => Promise<string>> {
    const response = await server.fetch(
      new Request('http://localhost/agents/clerk/sessions/s1/events', {
        headers: { authorization: 'anna', ...headers },
      }),
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    onTestFinished(async () => void (await reader?.cancel()));
    return async () => (await reader?.read())?.value ?? '';
  }

  it('a follower gets the stored session with its position, and none of it again when it comes back at once', async () => {
    const server = serverOf();
    await ask(server, commands, { body: send('c1', 'Good day') });
    await expect.poll(async () => (await ask(server, `${commands}/c1`))[1]).toHaveProperty('answer');
    await new Promise((resolve) => setTimeout(resolve, 400));
    const read = await events(server);
    let text = '';
    while (!text.includes('"document"')) text += await read();
    expect(text).toContain('Good day');
    const [, id = ''] = /id: ([\w-]+:\d+@\d+\.5\.\d+)\n/.exec(text) ?? [];
    const again = await events(server, { 'last-event-id': id });
    await ask(server, commands, { body: send('c2', 'Good night') });
    text = '';
    while (!text.includes('Good night')) text += await again();
    // The next runner tells the records behind that position.
    expect(text).not.toContain('"type":"document"');
    expect(text).toContain('"type":"records"');
  });

  it('an id of the future or of no session is taken as none', async () => {
    const server = serverOf();
    const ids = ['999999999.5.7', 'nonsense', 'a:9@1e9.1', 'other:3', 'other:3@999999999.5.7', '@-1.2'];
    for (const id of ids) {
      const read = await events(server, { 'last-event-id': id });
      let text = '';
      while (!text.includes('"document"')) text += await read();
    }
  });
});

describe('a message of the application', () => {
  it('a message of the application is sent at its time, and once', async () => {
    const host = sqliteHost({ path: join(folderOfTest('server'), 'sessions.db') });
    const server = serverOf({ host });
    const address = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
    await server.send(address, 'Good morning', { id: 'morning', at: Date.now() + 1500 });
    await server.send(address, { text: 'Good morning' }, { id: 'morning' });
    expect(await host.pending(address)).toEqual([]);
    await server.send({ ...address, sessionId: 's2' }, 'Now');
    const saidIn = async (id: string): Promise<readonly string[]> => {
      const record = loadedSession(await host.sessions('anna').load(id));
      return record === null ? [] : AgentState.messages(resolveRecord(record).state).map(Message.text);
    };
    await expect.poll(() => saidIn('s2'), { timeout: 10_000 }).toEqual(['Now', 'Hello']);
    await expect.poll(() => saidIn('s1'), { timeout: 10_000 }).toEqual(['Good morning', 'Hello']);
  });

  it('a message of the application to an unknown agent, or with a wrong field, is refused with a sentence', async () => {
    const server = serverOf();
    const address = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
    await expect(server.send({ ...address, agent: 'nobody' }, 'Hello')).rejects.toThrow(
      'The server has no agent "nobody". It has clerk, other.',
    );
    await expect(server.send(address, { text: 1 } as never)).rejects.toThrow(
      'The message cannot be sent: message.text: ',
    );
    await expect(server.send(address, 'Hello', { at: Number.NaN })).rejects.toThrow('at is NaN');
    expect(() => serverOf({ approvalMs: Number.NaN })).toThrow('approvalMs is NaN');
  });
});
