import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import * as Message from '../graph/message.ts';
import * as AgentState from '../faces/agent-state.ts';
import { scriptedAgent } from '../testing/fixtures.ts';
import { definePlugin } from '../agent/plugin/plugin.ts';
import { defineTool, type ToolContext } from '../agent/tool.ts';
import { createAgentSession } from './create-agent-session.ts';
import { localStorageSessions } from './stores/local-storage-sessions.ts';
import { memorySessions } from './stores/memory-sessions.ts';
import * as selectors from './conversation.ts';
import type { SessionStore } from './stores/session-store.ts';

/** A Storage as browsers have it, with a limit. */
function fakeStorage(limit = Infinity): Storage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      const used = [...items].reduce((sum, [name, text]) => sum + (name === key ? 0 : text.length), 0);
      if (used + value.length > limit) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}

const texts = (state: ReturnType<typeof AgentState.create>): string[] =>
  AgentState.messages(state).map(Message.text);

describe('a session', () => {
  it('answers, counts nothing twice, and tells the end once', async () => {
    const onFinish = vi.fn();
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'Hello' }]), onFinish });
    expect(await session.sendMessage('Hi')).toEqual({ status: 'completed', stopReason: 'completed' });
    expect(texts(session.getSnapshot().state)).toEqual(['Hi', 'Hello']);
    expect(session.getSnapshot().status).toBe('ready');
    expect(onFinish).toHaveBeenCalledTimes(1);
    await session.dispose();
  });

  it('publishes 500 deltas of one chunk in at most four commits, the last before it resolves', async () => {
    const session = createAgentSession({
      agent: scriptedAgent([{ chunks: Array.from({ length: 500 }, () => 'x') }]),
    });
    await session.sendMessage('warm');
    const seen: string[] = [];
    session.subscribe(() => seen.push(texts(session.getSnapshot().state).at(-1) ?? ''));
    await session.sendMessage('Hi');
    expect(seen.length).toBeLessThanOrEqual(6);
    expect(texts(session.getSnapshot().state).at(-1)).toBe('x'.repeat(500));
    await session.dispose();
  });

  it('keeps the part that came before a stop, with the reason', async () => {
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'abcdefgh', chunks: 8, delayMs: 30 }]),
      publish: 'immediate',
    });
    const turn = session.sendMessage('Hi');
    await vi.waitFor(() => expect(selectors.streamingMessage(session.getSnapshot().state)).not.toBeNull());
    session.stop();
    expect(await turn).toEqual({ status: 'stopped', stopReason: 'user-requested' });
    expect('abcdefgh'.startsWith(texts(session.getSnapshot().state).at(-1) ?? '-')).toBe(true);
    await session.dispose();
  });

  it('shows an error, keeps everything up to it, and can retry', async () => {
    const onError = vi.fn();
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'half', error: new Error('gone') }, { text: 'whole' }]),
      onError,
    });
    await session.sendMessage('Hi');
    expect(session.getSnapshot()).toMatchObject({ status: 'error', error: { message: 'gone' } });
    expect(texts(session.getSnapshot().state)).toEqual(['Hi', 'half']);
    expect(await session.retry()).toMatchObject({ status: 'completed' });
    expect(texts(session.getSnapshot().state)).toEqual(['Hi', 'whole']);
    expect(onError).toHaveBeenCalledTimes(1);
    await session.dispose();
  });

  it.each([
    ['queue', ['one', 'A', 'two', 'B']],
    ['steer', ['one', 'A', 'two', 'B']],
    ['interrupt', ['one', 'two', 'B']],
  ] as const)(
    'does with a message that comes in between what was asked for: %s',
    async (onBusy, expected) => {
      const script = [{ text: 'A', delayMs: 200 }, { text: 'B' }];
      const session = createAgentSession({ agent: scriptedAgent(script), onBusy });
      const first = session.sendMessage('one');
      await vi.waitFor(() => expect(session.getSnapshot().status).toBe('submitted'));
      await Promise.all([first, session.sendMessage('two')]);
      await vi.waitFor(() => expect(session.getSnapshot().status).toBe('ready'));
      expect(texts(session.getSnapshot().state)).toEqual(expected);
      await session.dispose();
    },
  );

  it('waits for an answer to an approval, and goes on with it', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input: z.object({}),
      needsApproval: () => ({ ask: 'why not' }),
      execute: () => 'ran',
    });
    const session = createAgentSession({
      agent: scriptedAgent([{ toolCalls: [{ name: 'risky', input: {} }] }, { text: 'ok' }], {
        tools: [risky],
      }),
    });
    await session.sendMessage('Hi');
    expect(session.getSnapshot().status).toBe('awaiting-input');
    const [pending] = AgentState.pendingApprovals(session.getSnapshot().state);
    expect(pending?.approval?.reason).toBe('why not');
    expect(await session.approve(pending!.toolCall.id, { remember: 'session' })).toMatchObject({
      status: 'completed',
    });
    await expect(session.approve('nope')).rejects.toMatchObject({ code: 'approval-unknown' });
    await session.dispose();
  });
});

describe('plugin state', () => {
  it('lives as long as its plugin says: with the session, for a run, or for this page', async () => {
    const persist = ['session', 'execution', 'none'] as const;
    const plugins = persist.map((kind) => definePlugin({ id: kind, state: z.number(), persist: kind }));
    const set = (ctx: ToolContext): void => plugins.forEach((plugin) => ctx.plugin(plugin).set(1));
    const tool = defineTool({
      name: 'set',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => set(ctx),
    });
    const agent = scriptedAgent([{ toolCalls: [{ name: 'set', input: {} }] }, { text: 'x' }], {
      tools: [tool],
      plugins,
    });
    const sessions = memorySessions();
    const session = createAgentSession({ agent, sessions, sessionId: 'a' });
    await session.sendMessage('Hi');
    expect(Object.keys(session.getSnapshot().state.plugins)).toEqual(['session', 'execution', 'none']);
    expect(Object.keys((await sessions.load('a'))!.state.plugins)).toEqual(['session', 'execution']);
    await session.sendMessage('Again');
    expect(Object.keys(session.getSnapshot().state.plugins)).toEqual(['session', 'none']);
    await session.dispose();
  });
});

describe('approvals', () => {
  it('can be answered all at once', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => 'ran',
    });
    const toolCalls = [
      { name: 'risky', input: {} },
      { name: 'risky', input: {} },
    ];
    const session = createAgentSession({
      agent: scriptedAgent([{ toolCalls }, { text: 'ok' }], { tools: [risky] }),
    });
    await session.sendMessage('Hi');
    await session.respondAll({ call_1: { approved: true }, call_2: { approved: false, reason: 'no' } });
    const executions = AgentState.steps(session.getSnapshot().state)[0]?.toolExecutions;
    expect(executions?.map(({ status }) => status)).toEqual(['completed', 'rejected']);
    await session.dispose();
  });
});

describe.each<[string, () => SessionStore]>([
  ['memorySessions', memorySessions],
  ['localStorageSessions', () => localStorageSessions({ storage: fakeStorage() })],
])('%s', (_name, createStore) => {
  it('gives a session back as it was', async () => {
    const sessions = createStore();
    const first = createAgentSession({ agent: scriptedAgent([{ text: 'Hello' }]), sessions, sessionId: 'a' });
    await first.sendMessage('Hi there');
    await first.dispose();
    const second = createAgentSession({
      agent: scriptedAgent([{ text: 'Again' }]),
      sessions,
      sessionId: 'a',
    });
    await second.ready;
    expect(second.getSnapshot().state).toEqual(first.getSnapshot().state);
    await second.sendMessage('More');
    expect(texts(second.getSnapshot().state)).toEqual(['Hi there', 'Hello', 'More', 'Again']);
    expect(await sessions.list()).toMatchObject([
      { id: 'a', title: 'Hi there', agentName: 'agent', executionStatus: 'completed' },
    ]);
    await second.rename('Mine');
    expect((await sessions.list())[0]?.title).toBe('Mine');
    await second.dispose();
    await sessions.remove('a');
    await sessions.remove('a');
    expect(await sessions.load('a')).toBeNull();
    expect(await sessions.list()).toEqual([]);
  });

  it('refuses a write that is based on an old version, before the model is called', async () => {
    const sessions = createStore();
    const model = vi.fn(() => ({ text: 'Hello' }));
    const [a, b] = ['x', 'y'].map(() =>
      createAgentSession({ agent: scriptedAgent([model]), sessions, sessionId: 'a' }),
    );
    await Promise.all([a!.ready, b!.ready]);
    await a!.sendMessage('from a');
    model.mockClear();
    await b!.sendMessage('from b');
    expect(b!.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'session-conflict' } });
    expect(model).not.toHaveBeenCalled();
    await b!.retry();
    expect(b!.getSnapshot()).toMatchObject({ status: 'ready', error: null });
    expect(texts(b!.getSnapshot().state)).toEqual(['from a', 'Hello', 'from b', 'Hello']);
    await Promise.all([a!.dispose(), b!.dispose()]);
  });
});

describe('localStorageSessions', () => {
  const record = async (storage: Storage, text = 'Hi'): Promise<void> => {
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'Hello' }]),
      sessions: localStorageSessions({ storage }),
      sessionId: 'a',
    });
    await session.sendMessage(text);
    await session.dispose();
  };

  it('lists what it cannot read as broken, and does not touch it', async () => {
    const storage = fakeStorage();
    await record(storage);
    storage.items.set('vitrine:session:a', '{"id":');
    const sessions = localStorageSessions({ storage });
    expect(await sessions.list()).toMatchObject([{ id: 'a', status: 'broken' }]);
    await expect(sessions.load('a')).rejects.toMatchObject({ code: 'state-invalid' });
    await expect(sessions.save({} as never, { expectedVersion: 0 })).rejects.toThrow();
    expect(storage.items.get('vitrine:session:a')).toBe('{"id":');
  });

  it('says that it is full and goes on in memory', async () => {
    const storage = fakeStorage(900);
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'x'.repeat(2000) }]),
      sessions: localStorageSessions({ storage }),
      sessionId: 'a',
    });
    expect(await session.sendMessage('Hi')).toMatchObject({ status: 'completed' });
    expect(session.getSnapshot().persistence).toMatchObject({
      status: 'degraded',
      error: { code: 'session-storage' },
    });
    await session.dispose();
  });

  it('writes nothing per delta, and no old messages again', async () => {
    const storage = fakeStorage();
    const sessions = localStorageSessions({ storage });
    const session = createAgentSession({
      agent: scriptedAgent([{ chunks: Array.from({ length: 300 }, () => 'y') }]),
      sessions,
      sessionId: 'a',
    });
    session.setMessages(Array.from({ length: 200 }, (_, index) => Message.user(`old ${index}`)));
    await session.flush();
    const write = vi.spyOn(storage, 'setItem');
    await session.sendMessage('Hi');
    expect(write.mock.calls.length).toBeLessThan(15);
    expect(write.mock.calls.filter(([key]) => key === 'vitrine:session:a:0')).toEqual([]);
    await session.dispose();
  });

  it.each(['../x', '', '-a'])('case 167: refuses the id %j', async (id) => {
    await expect(
      localStorageSessions({ storage: fakeStorage() }).save({ id } as never, { expectedVersion: 0 }),
    ).rejects.toMatchObject({ code: 'id-invalid' });
  });
});
