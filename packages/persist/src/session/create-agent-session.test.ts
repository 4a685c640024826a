import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool, type ToolContext } from '@vitrine/core/internal/agent/tool';
import { pendingApprovals, steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool, shownTexts, texts, storedState } from '@vitrine/testing/internal/session.fixture';
import * as Conversation from '@vitrine/core/internal/session/conversation/conversation';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';

const done = { status: 'done', outcome: 'completed', stopReason: 'completed', error: null };

describe('an agent session in use', () => {
  it('a session answers with one turn, counts usage once and calls onFinish once', async () => {
    const onFinish = vi.fn();
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'Hello' }]), onFinish });
    expect(await session.sendMessage('Hi')).toMatchObject({ kind: 'send', ...done });
    expect(shownTexts(session)).toEqual(['Hi', 'Hello']);
    expect(session.store.getState()).toMatchObject({
      status: 'ready',
      activity: { type: 'idle' },
      turn: null,
    });
    expect(onFinish).toHaveBeenCalledTimes(1);
    await session.dispose();
  });

  it('a session reads no clock and makes no id before it is used', async () => {
    const env = { now: vi.fn(() => 5), monotonic: vi.fn(() => 5), id: vi.fn(() => crypto.randomUUID()) };
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'Hello' }]),
      env: { ...env, random: () => 0, schedule: () => () => undefined },
    });
    const { id, state, status } = session.store.getState();
    expect([id, session.id(), status, state.createdAt]).toEqual([null, null, 'ready', 0]);
    expect(state.agentId).toBe('00000000-0000-0000-0000-000000000000');
    expect(Object.values(env).flatMap((part) => part.mock.calls)).toEqual([]);
    const turn = session.sendMessage('Hi');
    expect(session.id()).not.toBeNull();
    await turn;
    expect(session.store.getState().state.createdAt).toBe(5);
    expect(session.store.getInitialState().id).toBeNull();
  });

  it('a session publishes 500 deltas of one chunk in a few commits, the last before it resolves', async () => {
    const session = createAgentSession({
      agent: scriptedAgent([{ chunks: Array.from({ length: 500 }, () => 'x') }]),
    });
    await session.sendMessage('warm');
    const seen: string[] = [];
    session.store.subscribe(({ state }) => seen.push(texts(state).at(-1) ?? ''));
    await session.sendMessage('Hi');
    expect(seen.length).toBeLessThanOrEqual(8);
    expect(shownTexts(session).at(-1)).toBe('x'.repeat(500));
    await session.dispose();
  });

  it('a stopped session keeps the partial answer with the reason', async () => {
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'abcdefgh', chunks: 8, delayMs: 30 }]),
      publish: 'immediate',
    });
    const turn = session.sendMessage('Hi');
    await vi.waitFor(() =>
      expect(Conversation.streamingMessage(session.store.getState().state)).not.toBeNull(),
    );
    expect(session.store.getState()).toMatchObject({ status: 'streaming', activity: { type: 'answering' } });
    await session.stop();
    expect(await turn).toMatchObject({ status: 'done', outcome: 'stopped', stopReason: 'user-requested' });
    expect('abcdefgh'.startsWith(shownTexts(session).at(-1) ?? '-')).toBe(true);
    await session.dispose();
  });

  it('a failed session shows the error, keeps the partial answer and can retry', async () => {
    const onError = vi.fn();
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'half', error: new Error('gone') }, { text: 'whole' }]),
      onError,
    });
    expect(await session.sendMessage('Hi')).toMatchObject({ outcome: 'failed', error: { message: 'gone' } });
    expect(session.store.getState()).toMatchObject({ status: 'error', error: { message: 'gone' } });
    expect(shownTexts(session)).toEqual(['Hi', 'half']);
    expect(await session.retry()).toMatchObject({ kind: 'retry', ...done });
    expect(shownTexts(session)).toEqual(['Hi', 'whole']);
    expect(session.store.getState()).toMatchObject({ status: 'ready', error: null });
    expect(onError).toHaveBeenCalledTimes(1);
    await session.dispose();
  });

  it('a retry runs the last turn alone and keeps earlier answers, whole or not', async () => {
    const broken = { text: 'half', error: new Error('gone') };
    const session = createAgentSession({
      agent: scriptedAgent([broken, { text: 'more', error: new Error('gone') }, { text: 'whole' }]),
    });
    await session.sendMessage('one');
    session.clearError();
    await session.sendMessage('two');
    expect(shownTexts(session)).toEqual(['one', 'half', 'two', 'more']);
    await session.retry();
    expect(shownTexts(session)).toEqual(['one', 'half', 'two', 'whole']);
    await session.dispose();
  });

  it.each([
    ['queue', ['one', 'A', 'two', 'B']],
    ['steer', ['one', 'A', 'two', 'B']],
    ['interrupt', ['one', 'two', 'B']],
    ['reject', ['one', 'A']],
  ] as const)(
    'a message that is sent during a run is handled as onBusy says: %s',
    async (onBusy, expected) => {
      const model = vi.fn(() => ({ text: 'A', delayMs: 100 }));
      const agent = scriptedAgent([model, { text: 'B' }]);
      const session = createAgentSession({ agent, onBusy, publish: 'immediate' });
      const first = session.sendMessage('one');
      expect(session.store.getState().status).toBe('submitted');
      await vi.waitFor(() => expect(model).toHaveBeenCalled());
      const [, second] = await Promise.all([first, session.sendMessage('two')]);
      if (onBusy === 'reject')
        expect(second).toMatchObject({ status: 'refused', error: { code: 'session-busy' } });
      else expect(second).toMatchObject(done);
      expect(shownTexts(session)).toEqual(expected);
      await session.dispose();
    },
  );

  it('a retry without an earlier message is refused', async () => {
    const model = vi.fn(() => ({ text: 'paid' }));
    const session = createAgentSession({ agent: scriptedAgent([model]) });
    expect(await session.retry()).toMatchObject({ status: 'refused', error: { code: 'session-idle' } });
    expect(model).not.toHaveBeenCalled();
  });

  it('a message without text, files or data is refused', async () => {
    const model = vi.fn(() => ({ text: 'paid' }));
    const session = createAgentSession({ agent: scriptedAgent([model]) });
    for (const empty of ['', ' \n', { text: '' }, { text: '', files: [], data: {} }]) {
      const turn = await session.sendMessage(empty);
      expect(turn).toMatchObject({ status: 'refused', error: { code: 'message-empty' } });
    }
    expect(model).not.toHaveBeenCalled();
    expect(shownTexts(session)).toEqual([]);
    expect((await session.sendMessage({ text: '', data: { row: 1 } })).status).toBe('done');
  });

  it('a session waits for an approval and continues with it', async () => {
    const risky = {
      ...askingTool('risky').tool,
      needsApproval: () => ({ ask: 'why not' }),
    };
    const script = [{ toolCalls: [{ name: 'risky', input: {} }] }, { text: 'ok' }];
    const session = createAgentSession({ agent: scriptedAgent(script, { tools: [risky] }) });
    expect(await session.sendMessage('Hi')).toMatchObject({ status: 'awaiting-input', outcome: null });
    const { status, activity, state } = session.store.getState();
    const [pending] = pendingApprovals(state);
    expect([status, activity]).toEqual(['awaiting-input', { type: 'waiting', toolCallIds: [pending?.id] }]);
    expect(pending?.approval?.reason).toBe('why not');
    expect(await session.approve(pending!.id, { remember: 'session' })).toMatchObject({
      kind: 'send',
      ...done,
    });
    expect(await session.approve('nope')).toMatchObject({
      status: 'refused',
      error: { code: 'approval-unknown' },
    });
    expect(await session.sendMessage('Again')).toMatchObject(done);
    await session.dispose();
  });

  it('respondAll answers all calls, or none when one of them does not wait', async () => {
    const risky = askingTool('risky');
    const toolCalls = [1, 2].map((input) => ({ name: 'risky', input }));
    const session = createAgentSession({
      agent: scriptedAgent([{ toolCalls }, { text: 'ok' }], { tools: [risky.tool] }),
    });
    await session.sendMessage('Hi');
    const [first, second] = pendingApprovals(session.store.getState().state).map(({ id }) => id) as [
      string,
      string,
    ];
    const refused = await session.respondAll({ [first]: { approved: true }, other: { approved: true } });
    expect([refused.status, risky.runs]).toEqual(['refused', []]);
    expect(await session.respondAll({})).toMatchObject({
      status: 'refused',
      error: { code: 'approval-unknown' },
    });
    expect(session.store.getState().status).toBe('awaiting-input');
    await session.respondAll({ [first]: { approved: true }, [second]: { approved: false, reason: 'no' } });
    const executions = steps(session.store.getState().state)[0]?.toolExecutions;
    expect(executions?.map(({ status }) => status)).toEqual(['completed', 'rejected']);
    expect(risky.runs).toEqual([1]);
    await session.dispose();
  });

  it('respond provides the output of a tool that the interface answers', async () => {
    const asked = defineTool({ name: 'pick', description: '', input: z.object({}), output: z.string() });
    const script = [{ toolCalls: [{ name: 'pick', input: {} }] }, { text: 'ok' }];
    const session = createAgentSession({ agent: scriptedAgent(script, { tools: [asked] }) });
    expect((await session.sendMessage('Hi')).status).toBe('awaiting-input');
    const [pending] = pendingApprovals(session.store.getState().state);
    expect(await session.respond(pending!.id, 'blue')).toMatchObject(done);
    expect(steps(session.store.getState().state)[0]?.toolExecutions[0]).toMatchObject({ result: 'blue' });
    await session.dispose();
  });
});

describe('plugin state in a session', () => {
  it('plugin state lasts as its plugin says: for the session, a run, or this page', async () => {
    const persist = ['session', 'execution', 'none'] as const;
    const plugins = persist.map((kind) => definePlugin({ id: kind, state: z.number(), persist: kind }));
    const set = (ctx: ToolContext): void => plugins.forEach((plugin) => ctx.plugin(plugin).set(1));
    const tool = defineTool({
      name: 'set',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => set(ctx),
    });
    const script = [{ toolCalls: [{ name: 'set', input: {} }] }, { text: 'x' }];
    const sessions = memorySessions();
    const session = createAgentSession({
      agent: scriptedAgent(script, { tools: [tool], plugins }),
      sessions,
      sessionId: 'a',
    });
    const kept = (): string[] => Object.keys(session.store.getState().state.plugins);
    await session.sendMessage('Hi');
    expect(kept()).toEqual(['session', 'execution', 'none']);
    expect(Object.keys((await storedState(sessions)).plugins)).toEqual(['session', 'execution']);
    await session.sendMessage('Again');
    expect(kept()).toEqual(['session', 'none']);
    await session.dispose();
  });
});
