import { describe, expect, it, vi } from 'vitest';
import {
  messages,
  pendingApprovals,
  stepExecutions,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import { rememberedDecisions, withoutDecisions } from '@vitrine/core/internal/graph/agent-state/remembered';
import { section } from '@vitrine/core/internal/graph/message-store';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { askingTool, heldTool, shownTexts, storedState } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession, AgentSessionOptions, Turn } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

const waitingIds = (session: AgentSession): string[] =>
  pendingApprovals(session.store.getState().state).map(({ id }) => id);
const statusOf = (session: AgentSession): string => session.store.getState().status;

/** A session with the tools, whose model calls them with 1, 2 … and then answers. */
function sessionWith(
  tools: readonly ReturnType<typeof heldTool>[],
  options: Partial<AgentSessionOptions> = {},
): AgentSession {
  const toolCalls = tools.map(({ tool }, index) => ({ name: tool.name, input: index + 1 }));
  const unique = [...new Map(tools.map(({ tool }) => [tool.name, tool])).values()];
  const agent = scriptedAgent([{ toolCalls }, { text: 'answer' }], { tools: unique });
  return createAgentSession({ agent, publish: 'immediate', ...options });
}

describe('an approval that is remembered for the session', () => {
  it('a remembered approval that was taken back is requested again, also after a reload', async () => {
    const pay = askingTool('pay');
    const sessions = memorySessions();
    const open = (): AgentSession => {
      const steps = [{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'paid' }];
      const agent = scriptedAgent([...steps, ...steps], { tools: [pay.tool] });
      return createAgentSession({ agent, sessionId: 'a', sessions, publish: 'immediate' });
    };
    const session = open();
    const asked = await session.sendMessage('Pay');
    expect(asked.status).toBe('awaiting-input');
    await session.approve(waitingIds(session)[0]!, { remember: 'session' });
    expect((await session.sendMessage('Pay again')).status).toBe('done');
    await session.update((state) => withoutDecisions(state, 'pay'));
    expect(rememberedDecisions(session.store.getState().state)).toEqual([]);
    await session.dispose();
    const later = open();
    expect((await later.sendMessage('And again')).status).toBe('awaiting-input');
    expect(pay.runs).toEqual([1, 1]);
    await later.dispose();
  });
});

describe('an approval among several actors', () => {
  it('an approval during a sibling call joins that run, and the call runs once', async () => {
    const [pay, slow] = [askingTool('pay'), heldTool('slow')];
    const model = vi.fn(() => ({ text: 'paid' }));
    const toolCalls = ['pay', 'slow'].map((name) => ({ name, input: name }));
    const onFinish = vi.fn();
    const session = createAgentSession({
      agent: scriptedAgent([{ toolCalls }, model], { tools: [pay.tool, slow.tool] }),
      publish: 'immediate',
      onFinish,
    });
    const begun: string[] = [];
    session.onEvent(({ type }) => void (/^execution-(start|resume)$/.test(type) && begun.push(type)));
    const sent = session.sendMessage('Pay');
    await vi.waitFor(() => expect([waitingIds(session).length, slow.runs.length]).toEqual([1, 1]));
    const [id] = waitingIds(session) as [string];
    const [first, second] = [session.approve(id), session.approve(id)];
    await vi.waitFor(() => expect(pay.runs).toEqual(['pay']));
    expect(model).not.toHaveBeenCalled();
    slow.end();
    const turns = await Promise.all([sent, first, second]);
    expect(turns.map(({ status }) => status)).toEqual(['done', 'done', 'refused']);
    expect([pay.runs, slow.runs, shownTexts(session)]).toEqual([['pay'], ['slow'], ['Pay', '', 'paid']]);
    expect(model).toHaveBeenCalledTimes(1);
    expect(onFinish).toHaveBeenCalledTimes(1);
    expect(stepExecutions(session.store.getState().state)).toHaveLength(2);
    expect(begun).toEqual(['execution-start']);
  });

  it('approvals of every call in one handler are all kept', async () => {
    const pay = askingTool('pay');
    const session = sessionWith([pay, pay, pay]);
    expect((await session.sendMessage('Pay')).status).toBe('awaiting-input');
    const turns = await Promise.all(waitingIds(session).map((id) => session.approve(id)));
    expect(turns.map(({ status, outcome }) => [status, outcome])).toEqual(
      [1, 2, 3].map(() => ['done', 'completed']),
    );
    expect([...pay.runs].sort()).toEqual([1, 2, 3]);
  });

  it('an approval and a rejection in one tick are both kept', async () => {
    const pay = askingTool('pay');
    const session = sessionWith([pay, pay]);
    await session.sendMessage('Pay');
    const [first, second] = waitingIds(session) as [string, string];
    await Promise.all([session.reject(first, { reason: 'too much' }), session.approve(second)]);
    const calls = stepExecutions(session.store.getState().state)[0]?.step.toolExecutions;
    expect(calls?.map(({ status }) => status)).toEqual(['rejected', 'completed']);
    expect(pay.runs).toEqual([2]);
  });

  it('an approval that is given twice in one tick runs the call once and is then refused', async () => {
    const pay = askingTool('pay');
    const session = sessionWith([pay]);
    await session.sendMessage('Pay');
    const [id] = waitingIds(session) as [string];
    const [first, second] = await Promise.all([session.approve(id), session.approve(id)]);
    expect(first).toMatchObject({ kind: 'send', status: 'done', outcome: 'completed' });
    expect(second).toMatchObject({ status: 'refused', error: { code: 'approval-unknown' } });
    expect(pay.runs).toEqual([1]);
  });

  it('an approval after a stop is refused, and the call never runs', async () => {
    const pay = askingTool('pay');
    const onFinish = vi.fn();
    const session = sessionWith([pay], { onFinish });
    await session.sendMessage('Pay');
    const [id] = waitingIds(session) as [string];
    const stopped = session.stop();
    expect(await session.approve(id)).toMatchObject({
      status: 'refused',
      error: { code: 'approval-unknown' },
    });
    await Promise.all([stopped, session.stop()]);
    expect(pay.runs).toEqual([]);
    expect(onFinish).toHaveBeenCalledTimes(1);
    expect(onFinish.mock.calls[0]?.[0].turn).toMatchObject({
      kind: 'send',
      outcome: 'stopped',
      stopReason: 'user-requested',
    });
  });
});

describe('a run that is over', () => {
  it('a tool of an ended run changes nothing in the next turn or in the store', async () => {
    let report: (progress: string) => void = () => undefined;
    const deaf = fakeTool('deaf', 'never');
    const left = {
      ...deaf,
      execute: (_input: unknown, ctx: { report: (progress: string) => void }) => {
        ({ report } = ctx);
        return new Promise(() => undefined);
      },
    } as typeof deaf;
    const sessions = memorySessions();
    const script: ScriptedEntry[] = [{ toolCalls: [{ name: 'deaf', input: 0 }] }, { text: 'B', delayMs: 20 }];
    const agent = scriptedAgent(script, { tools: [left] });
    const session = createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate' });
    const first = session.sendMessage('one');
    await vi.waitFor(() => expect(session.store.getState().activity.type).toBe('tool'));
    await session.stop();
    expect((await first).outcome).toBe('stopped');
    const second = session.sendMessage('two');
    await vi.waitFor(() => expect(shownTexts(session)).toContain('two'));
    report('still here');
    await second;
    report('and here');
    expect(shownTexts(session)).toEqual(['one', '', 'two', 'B']);
    expect(messages(await storedState(sessions))).toEqual(messages(session.store.getState().state));
  });
});

describe('a resume during an active run', () => {
  it('a resume during an active run settles with that run and begins no other', async () => {
    const held = heldTool('look');
    const session = sessionWith([held]);
    const begun: string[] = [];
    session.onEvent(({ type }) => void (/^execution-(start|resume)$/.test(type) && begun.push(type)));
    const sent = session.sendMessage('one');
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const resumed = session.resume();
    held.end();
    const [turn] = await Promise.all([sent, resumed]);
    expect(await resumed).toEqual(turn);
    expect([turn.outcome, begun]).toEqual(['completed', ['execution-start']]);
  });
});

describe('a stop right after a message', () => {
  it('a stop right after a message ends its turn, and the model is not called', async () => {
    const model = vi.fn(() => ({ text: 'paid' }));
    const session = createAgentSession({ agent: scriptedAgent([model]) });
    const [turn] = await Promise.all([session.sendMessage('Hi'), session.stop()]);
    expect(turn).toMatchObject({ status: 'done', outcome: 'stopped', stopReason: 'user-requested' });
    expect([shownTexts(session), model.mock.calls]).toEqual([['Hi'], []]);
    expect(statusOf(session)).toBe('ready');
  });
});

describe('the order of messages', () => {
  const running = async (script: ScriptedEntry[], options: Partial<AgentSessionOptions> = {}) => {
    const session = createAgentSession({ agent: scriptedAgent(script), publish: 'immediate', ...options });
    const called = new Promise<void>((resolve) => {
      session.onEvent(({ type }) => type === 'inference-start' && resolve());
    });
    const first = session.sendMessage('one');
    await called;
    return { session, first };
  };

  it('an interrupting message runs before the queue', async () => {
    const { session, first } = await running([{ text: 'A', delayMs: 60 }, { text: 'B' }, { text: 'C' }]);
    const queued = session.sendMessage('queued');
    expect(session.store.getState().queue.map(({ text }) => text)).toEqual(['queued']);
    const urgent = session.sendMessage('urgent', { onBusy: 'interrupt' });
    const turns = await Promise.all([first, queued, urgent]);
    expect(turns.map(({ outcome }) => outcome)).toEqual(['stopped', 'completed', 'completed']);
    expect(shownTexts(session).filter((text) => text.length > 1)).toEqual(['one', 'urgent', 'queued']);
  });

  it('an error holds the queue until the next message, then it runs in order', async () => {
    const { session, first } = await running([
      { text: 'A', delayMs: 40, error: new Error('gone') },
      { text: 'B' },
    ]);
    const second = session.sendMessage('two');
    expect((await first).outcome).toBe('failed');
    expect(session.store.getState()).toMatchObject({ status: 'error', queue: [{ text: 'two' }] });
    // An automatic resume does not release it, because a person sees the error first.
    session.configure({ agent: session.settings().agent, resume: true });
    await session.flush();
    expect(session.store.getState()).toMatchObject({ status: 'error', queue: [{ text: 'two' }] });
    const third = session.sendMessage('three');
    expect((await Promise.all([second, third])).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
    ]);
    expect(shownTexts(session)).toEqual(['one', 'A', 'two', 'B', 'three', 'B']);
  });

  it('a held queue continues when the error is cleared', async () => {
    const { session, first } = await running([{ delayMs: 40, error: new Error('gone') }, { text: 'B' }]);
    const second = session.sendMessage('two');
    await first;
    session.clearError();
    expect((await second).outcome).toBe('completed');
    expect(session.store.getState().error).toBeNull();
  });

  it('a steered message that came too late is the next turn, before the queue', async () => {
    const { session, first } = await running([{ text: 'A', delayMs: 40 }, { text: 'B' }]);
    let steered: Promise<Turn> | null = null;
    session.onEvent((event) => {
      if (event.type === 'execution-end') steered ??= session.sendMessage('late', { onBusy: 'steer' });
    });
    const queued = session.sendMessage('queued');
    await Promise.all([first, queued]);
    expect(await steered).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(shownTexts(session)).toEqual(['one', 'A', 'late', 'B', 'queued', 'B']);
  });

  it('a steered message joins the run, and both turns end together', async () => {
    const held = heldTool('look');
    const script = [{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'both' }];
    const onFinish = vi.fn();
    const agent = scriptedAgent(script, { tools: [held.tool] });
    const session = createAgentSession({ agent, onFinish, publish: 'immediate' });
    const first = session.sendMessage('one');
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    const steered = session.sendMessage('and this', { onBusy: 'steer' });
    held.end();
    const turns = await Promise.all([first, steered]);
    expect(turns.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(turns[0]?.id).not.toBe(turns[1]?.id);
    expect(shownTexts(session)).toEqual(['one', '', 'and this', 'both']);
    expect(section(session.store.getState().state.context.store).at(-2)?.id).toBe(turns[1]?.id);
    expect(onFinish).toHaveBeenCalledTimes(1);
  });
});
