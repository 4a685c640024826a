import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  AgentState,
  createAgentSession,
  type AgentSession,
  defineAgent,
  defineHook,
  type InferenceClient,
  loadedSession,
  Message,
  resolveRecord,
} from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { scriptedInference } from '@vitrine/testing';
import type { ProxyLogEntry } from '@vitrine/proxy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { type Behaviour, startUpstream } from '../../../tests/upstream/upstream.ts';
import type { SessionHost } from './host/session-host.ts';
import { dbosHost } from './dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from './dbos/host-databases.fixture.ts';
import { openPool } from '../../../tests/servers/open-pool.ts';
import { paidAgent } from './paid-agent.fixture.ts';
import { serveClerk, type ServedClerk } from './served-clerk.fixture.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';
import { spawnFixture } from './testing/spawn-fixture.fixture.ts';

const newDatabase = hostDatabases();
const timeout = 60_000;

function follow(served: ServedClerk, sessionId: string, name = 'anna', owner = name): AgentSession {
  const remote = served.remoteOf(name);
  const sessions = owner === name ? remote.sessions : remote.sessionsOf(owner);
  const agent = remote.agents.clerk;
  const session = createAgentSession({ agent, sessions, sessionId, publish: 'immediate' });
  onTestFinished(async () => void (await session.dispose()));
  void session.ready;
  return session;
}

/** The texts of the messages that a session shows. */
function saidIn(state: AgentState): readonly string[] {
  return AgentState.messages(state).map((message) => `${message.role} ${Message.text(message)}`);
}

async function command(url: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/agents/clerk/sessions/${path}`, {
    headers: { authorization: 'Bearer anna', 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/**
 * Sends many messages of one person at once, and then one after the other until the quota is used up.
 * @returns the stored states of the sessions
 */
async function spendAll(urls: readonly string[], host: SessionHost): Promise<readonly AgentState[]> {
  let count = 0;
  const states: AgentState[] = [];
  async function sendOne(): Promise<string | null> {
    const [id, url = ''] = [`s${count}`, urls[count++ % urls.length]];
    const message = { text: id };
    await command(url, `${id}/commands`, { type: 'send', id, message, options: {}, onBusy: 'queue' });
    // The answer comes from any of them.
    const answered = (): Promise<unknown> => command(urls[0] ?? '', `${id}/commands/${id}`);
    await expect.poll(answered, { timeout: 30_000 }).toHaveProperty('answer.turn.outcome');
    const record = loadedSession(await host.sessions('anna').load(id));
    if (record === null) throw new Error('The session is not stored.');
    const { state } = resolveRecord(record);
    states.push(state);
    // The message is there, whatever became of its run.
    expect(saidIn(state)[0]).toBe(`user ${id}`);
    return AgentState.errors(state)[0]?.code ?? null;
  }
  await Promise.all(Array.from({ length: 12 }, sendOne));
  while ((await sendOne()) === null);
  return states;
}

const tokensOf = (states: readonly AgentState[]): number =>
  states.reduce((sum, state) => sum + AgentState.usage(state).totalTokens, 0);

describe('the quota of cost of a person', () => {
  it('the runs of a person use no more than the quota, and the others end with a sentence, with SQLite', async () => {
    const host = sqliteHost({ path: join(folderOfTest('quota'), 'sessions.db') });
    const points = 5000;
    const served = await serveClerk({
      agents: { clerk: paidAgent(300) },
      host,
      quotas: { cost: { points, seconds: 3600 } },
    });
    const states = await spendAll([served.url], host);
    const tokens = tokensOf(states);
    expect(tokens).toBeLessThanOrEqual(points);
    expect(tokens).toBeGreaterThan(points / 2);
    const refused = states.filter((state) => AgentState.usage(state).totalTokens === 0);
    expect(states.length - refused.length).toBe(tokens / 300);
    for (const state of refused) {
      expect(AgentState.status(state)).toBe('failed');
      expect(AgentState.errors(state)).toMatchObject([
        {
          code: 'quota-exceeded',
          message: expect.stringMatching(/^You have used up your quota of tokens\. Try again in \d+ s\.$/),
        },
      ]);
    }
    // Somebody else is not held up.
    expect(await follow(served, 's1', 'ben').sendMessage('Hello')).toMatchObject({ outcome: 'completed' });
  });

  it(
    'two processes that share a limiter let a person use no more than the quota, with DBOS',
    { timeout },
    async ({ skip }) => {
      const url = await newDatabase();
      if (url === null) return skip(noPostgres);
      const points = 5000;
      const pool = openPool(url);
      const host = dbosHost({ url, version: '1' });
      onTestFinished(async () => void (await Promise.all([pool.end(), host.stop({ graceMs: 0 })])));
      await pool.query(
        'CREATE TABLE quotas (key varchar(255) PRIMARY KEY, points int NOT NULL, expire bigint)',
      );
      const servers = [0, 1].map(async () => {
        const child = spawnFixture(new URL('dbos/paying-server.fixture.ts', import.meta.url), [
          url,
          String(points),
        ]);
        onTestFinished(() => void child.kill('SIGKILL'));
        for await (const data of child.stdout) return String(data).trim();
        throw new Error('The server did not start.');
      });
      const states = await spendAll(await Promise.all(servers), host);
      const tokens = tokensOf(states);
      expect(tokens).toBeLessThanOrEqual(points);
      expect(tokens).toBeGreaterThan(points / 2);
      const { rows } = await pool.query<{ key: string; points: number }>('SELECT key, points FROM quotas');
      expect(rows).toEqual([{ key: 'rlflx:cost:anna', points: tokens }]);
    },
  );

  it('a message above the quota stays, and is answered when it is sent again with room', async () => {
    const points = 1500;
    const served = await serveClerk({
      agents: { clerk: paidAgent(1200) },
      quotas: { cost: { points, seconds: 3600 }, costOf: ({ totalTokens }) => (isFree ? 0 : totalTokens) },
    });
    let isFree = false;
    const session = follow(served, 's1');
    expect(await session.sendMessage('One')).toMatchObject({ outcome: 'completed' });
    expect(await session.sendMessage('Two')).toMatchObject({ outcome: 'failed' });
    const { error, status, state } = session.store.getState();
    expect([status, error?.code]).toEqual(['error', 'quota-exceeded']);
    expect(saidIn(state)).toEqual(['user One', 'assistant Yes.', 'user Two']);
    isFree = true;
    await session.retry();
    await expect.poll(() => saidIn(session.store.getState().state).at(-1)).toBe('assistant Yes.');
    expect(saidIn(session.store.getState().state)).toHaveLength(4);
  });

  it('a run waits for a quota that has room again within a minute, and goes on', async () => {
    const served = await serveClerk({
      agents: { clerk: paidAgent(1200) },
      quotas: { cost: { points: 1500, seconds: 2 } },
    });
    const session = follow(served, 's1');
    for (const text of ['One', 'Two']) await session.sendMessage(text);
    expect(saidIn(session.store.getState().state)).toEqual([
      'user One',
      'assistant Yes.',
      'user Two',
      'assistant Yes.',
    ]);
  });

  it('the person who sent the message pays, also in a session of somebody else, and for subagents and hooks', async () => {
    const usage = { inputTokens: 100, outputTokens: 100 };
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps',
      inference: scriptedInference([{ text: 'Here', usage }]),
    });
    const hook = defineHook({
      name: 'title',
      on: ['before-execution'],
      async run(state, { callModel }) {
        await callModel({ input: 'Title?', call: async () => 'A title', usageOf: () => usage });
        return state;
      },
    });
    const clerk = defineAgent({
      name: 'clerk',
      subagents: [helper],
      hooks: [hook],
      inference: scriptedInference([
        { toolCalls: [{ name: 'delegate', input: { agent: 'helper', task: 'Help' } }], usage },
        { text: 'Done', usage },
      ]),
    });
    const charged = new Map<string, number>();
    const change = (key: string, points: number) => {
      charged.set(key, (charged.get(key) ?? 0) + points);
      return Promise.resolve({ msBeforeNext: 3_600_000 });
    };
    const limiter = {
      points: 1_000_000,
      consume: (key: string, points = 1) => change(key, points),
      penalty: (key: string, points = 1) => change(key, points),
      reward: (key: string, points = 1) => change(key, -points),
      delete: async () => undefined,
    };
    const served = await serveClerk({
      agents: { clerk },
      access: () => true,
      quotas: { cost: limiter },
    });
    expect(await follow(served, 's1').sendMessage('Hello')).toMatchObject({ outcome: 'completed' });
    // Three calls and the hook.
    await expect.poll(() => [...charged]).toEqual([['cost:anna', 800]]);
    const ben = follow(served, 's1', 'ben', 'anna');
    expect(await ben.sendMessage('Hello')).toMatchObject({ outcome: 'completed', by: 'ben' });
    await expect.poll(() => charged.get('cost:ben')).toBe(400);
    expect(charged.get('cost:anna')).toBe(800);
  });
});

describe('the line of a failed model call', () => {
  it('an operator gets the words of the provider without secrets, and the person a sentence', async () => {
    const upstream = await startUpstream();
    onTestFinished(() => upstream.close());
    upstream.behave = {
      kind: 'status',
      status: 400,
      body: JSON.stringify({ error: { message: 'The context is too long. Key sk-canary-1234567890.' } }),
    };
    const provider = createOpenAICompatible({
      name: 'p',
      baseURL: upstream.url,
      apiKey: 'sk-canary-1234567890',
    });
    const clerk = defineAgent({
      name: 'clerk',
      inference: fromLanguageModel(provider('m')),
      llmConfig: { model: 'm' },
    });
    const lines: ProxyLogEntry[] = [];
    const served = await serveClerk({ agents: { clerk }, log: (line) => lines.push(line) });
    const session = follow(served, 's1');
    expect(await session.sendMessage('Hello')).toMatchObject({ outcome: 'failed' });
    const [line] = lines.filter(({ route }) => route === 'model call');
    expect(line).toMatchObject({
      outcome: 'failed',
      code: 'upstream-invalid-request',
      cause: expect.stringContaining('The context is too long. Key •••'),
      hint: expect.any(String),
      principal: 'anna',
      id: 's1',
      model: 'm',
    });
    const shown = JSON.stringify(session.store.getState().state);
    expect(shown).not.toContain('too long');
    expect(shown).toContain('did not accept the request');
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  const text = 'data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n';
  const end =
    'data: {"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}\n\ndata: [DONE]\n\n';
  const status = (code: number): Behaviour => ({
    kind: 'status',
    status: code,
    headers: { 'x-request-id': `req_${code}` },
  });
  const refusedHere = Object.assign(new Error('It takes no pictures.'), {
    name: 'AI_UnsupportedFunctionalityError',
  });
  const ends: readonly (readonly [string, Behaviour | Error, Partial<ProxyLogEntry>])[] = [
    [
      'that succeeds',
      { kind: 'answer', body: text + end, size: null },
      { outcome: 'completed', code: null, inputTokens: 1000, outputTokens: 500, cost: 0.002 },
    ],
    ['that is refused before it is sent', refusedHere, { code: 'request-not-supported', cost: null }],
    ['with status 401', status(401), { code: 'upstream-unauthorized', cost: null }],
    ['with status 429', status(429), { code: 'upstream-rate-limited', cost: null }],
    ['with status 500', status(500), { code: 'upstream-unavailable', cost: expect.any(Number) as number }],
    [
      'that breaks in its answer',
      { kind: 'cut', body: text },
      { code: 'stream-incomplete', cost: expect.any(Number) as number },
    ],
  ];

  it.each(ends)(
    'a call %s has model, cost and id without a configuration of the agent',
    async (_end, behave, told) => {
      const upstream = await startUpstream();
      onTestFinished(() => upstream.close());
      if (!(behave instanceof Error)) upstream.behave = behave;
      const model = createOpenAICompatible({ name: 'p', baseURL: upstream.url, includeUsage: true })('m');
      if (behave instanceof Error) model.doStream = () => Promise.reject(behave);
      const inference: InferenceClient = {
        ...fromLanguageModel(model),
        price: (name) => Promise.resolve(name === 'm' ? { input: 1, output: 2 } : null),
      };
      const clerk = defineAgent({ name: 'clerk', inference, retry: { maxAttempts: 1 } });
      const lines: ProxyLogEntry[] = [];
      const served = await serveClerk({
        agents: { clerk },
        quotas: { cost: { points: 1_000_000, seconds: 3600 } },
        log: (line) => lines.push(line),
      });
      await follow(served, 's1').sendMessage('Hello');
      const calls = lines.filter(({ route }) => route === 'model call');
      expect(calls).toMatchObject([{ outcome: 'failed', ...told, model: 'm', id: 's1' }]);
      expect(calls[0]?.requestId).toMatch(/.{8}/);
      if (!(behave instanceof Error) && behave.kind === 'status')
        expect(calls[0]?.cause).toContain(`status ${behave.status}, request req_${behave.status}`);
    },
  );

  it('a call above the quota is refused in the log, and no model failed', async () => {
    const lines: ProxyLogEntry[] = [];
    const served = await serveClerk({
      agents: { clerk: paidAgent(300) },
      quotas: { cost: { points: 100, seconds: 3600 } },
      log: (line) => lines.push(line),
    });
    expect(await follow(served, 's1').sendMessage('Hello')).toMatchObject({ outcome: 'failed' });
    expect(lines.filter(({ route }) => route === 'model call')).toMatchObject([
      {
        outcome: 'refused',
        code: 'quota-exceeded',
        cause: expect.stringContaining('your quota is 100 in all'),
        hint: expect.stringContaining('server of agents'),
      },
    ]);
  });
});
