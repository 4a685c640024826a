import { describe, expect, it } from 'vitest';
import { breakHits } from '@vitrine/core/internal/graph/agent-state/accessors';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool, heldTool, shownTexts, storedState } from '@vitrine/testing/internal/session.fixture';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const script = [
  { text: 'Let me', toolCalls: [{ name: 'look', input: { at: 1 } }] },
  { text: 'Found it.' },
  { text: 'Again.' },
];
function lookingAgent(): { agent: AgentDefinition; seen: unknown[] } {
  const seen: unknown[] = [];
  const look = fakeTool('look', (input) => {
    seen.push(input);
    return 'seen';
  });
  return { agent: scriptedAgent(script, { tools: [look] }), seen };
}
function open(agent: AgentDefinition, sessions?: SessionStore): AgentSession {
  return createAgentSession({ agent, publish: 'immediate', ...(sessions && { sessions, sessionId: 'a' }) });
}
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('a session with breakpoints', () => {
  it('a run that waits at a breakpoint says so neutrally, and its turn waits for a person', async () => {
    const { agent, seen } = lookingAgent();
    const session = open(agent);
    await session.setBreakpoint({ type: 'tool', toolName: 'look' });
    const turn = await session.sendMessage('Hello');
    expect(turn.status).toBe('awaiting-input');
    const { status, activity, error } = session.store.getState();
    expect({ status, activity, error }).toEqual({
      status: 'awaiting-input',
      activity: { type: 'paused' },
      error: null,
    });
    expect(session.isSettled()).toBe(true);
    expect(await session.releaseWith({ input: { at: 2 } })).toMatchObject({ outcome: 'completed' });
    expect(seen).toEqual([{ at: 2 }]);
    expect(shownTexts(session)).toEqual(['Hello', 'Let me', 'Found it.']);
  });

  it('pause stops an open run before its next call, and stepOver goes on to the one after', async () => {
    const held = heldTool('look');
    const session = open(scriptedAgent(script, { tools: [held.tool] }));
    const turn = session.sendMessage('Hello');
    await until(() => held.runs.length === 1);
    await session.pause();
    held.end();
    expect((await turn).status).toBe('awaiting-input');
    const at = (): unknown => session.store.getState().state.execution?.breakHit?.at;
    expect(at()).toMatchObject({ point: 'model', step: 2 });
    expect(await session.stepOver()).toMatchObject({ outcome: 'completed' });
    expect(session.store.getState().state.breakpoints, 'the next call never came').toEqual([]);
  });

  it('stepOver goes from call to call', async () => {
    const { agent } = lookingAgent();
    const session = open(agent);
    await session.setBreakpoint({ type: 'model' }, { id: 'first' });
    await session.sendMessage('Hello');
    await session.removeBreakpoint('first');
    const points: unknown[] = [];
    for (
      let turn = await session.stepOver();
      turn.status === 'awaiting-input';
      turn = await session.stepOver()
    )
      points.push(session.store.getState().state.execution?.breakHit?.at.point);
    expect(points).toEqual(['tool', 'model']);
  });

  it('pause without a run does nothing', async () => {
    const session = open(lookingAgent().agent);
    await session.pause();
    expect(await session.sendMessage('Hello')).toMatchObject({ outcome: 'completed' });
    await session.pause();
    expect(session.store.getState().state.breakpoints).toEqual([]);
  });

  it('a release without a waiting run is refused, and so is one of a wait that is over', async () => {
    const { agent } = lookingAgent();
    const session = open(agent);
    await session.setBreakpoint({ type: 'model' });
    expect(await session.releaseWith()).toMatchObject({ status: 'refused', error: { code: 'session-idle' } });
    await session.sendMessage('Hello');
    const [hit] = breakHits(session.store.getState().state);
    const place = { ...hit!.at, path: hit!.path };
    const [first, second] = await Promise.all([
      session.releaseWith({}, { place }),
      session.releaseWith({}, { place }),
    ]);
    expect(first.status).toBe('awaiting-input');
    expect(second, 'two windows pressed the same button').toMatchObject({ status: 'refused' });
    expect(session.store.getState().state.execution?.breakHit?.at.step).toBe(2);
  });

  it('an edit that does not fit is refused, and the run goes on waiting', async () => {
    const session = open(lookingAgent().agent);
    await session.setBreakpoint({ type: 'model' });
    await session.sendMessage('Hello');
    const turn = await session.releaseWith({ result: 'x' });
    expect(turn).toMatchObject({ status: 'refused', error: { code: 'edit-invalid' } });
    expect(session.store.getState().activity).toEqual({ type: 'paused' });
  });

  it('stop ends a run that waits, and a message sent meanwhile follows', async () => {
    const { agent, seen } = lookingAgent();
    const session = open(agent);
    await session.setBreakpoint({ type: 'tool', toolName: 'look' });
    await session.sendMessage('Hello');
    const next = session.sendMessage('And then');
    expect(session.store.getState().queue).toHaveLength(1);
    await session.stop();
    expect(await next).toMatchObject({ outcome: 'completed' });
    expect(seen).toEqual([]);
    expect(shownTexts(session)).toContain('And then');
  });

  it('a question of the run is answered while it waits, and used after the release', async () => {
    const pay = askingTool('pay');
    const calls = ['pay', 'look'].map((name) => ({ name, input: {} }));
    const session = open(
      scriptedAgent([{ toolCalls: calls }, { text: 'Done' }], {
        tools: [pay.tool, fakeTool('look', 'seen')],
      }),
    );
    await session.setBreakpoint({ type: 'tool', toolName: 'look' });
    await session.sendMessage('Hello');
    const { activity } = session.store.getState();
    expect(activity.type).toBe('waiting');
    const [id] = activity.type === 'waiting' ? activity.toolCallIds : [];
    expect((await session.approve(id!)).status).toBe('awaiting-input');
    expect(session.store.getState().activity).toEqual({ type: 'paused' });
    expect(await session.releaseWith()).toMatchObject({ outcome: 'completed' });
    expect(pay.runs).toHaveLength(1);
  });

  it('the time of a wait counts in no limit', async () => {
    let now = 1_000_000;
    const session = createAgentSession({
      agent: lookingAgent().agent,
      publish: 'immediate',
      env: {
        now: () => now,
        monotonic: () => now,
        id: () => crypto.randomUUID(),
        random: () => 0.5,
        schedule: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      },
    });
    await session.setBreakpoint({ type: 'model' });
    await session.sendMessage('Hello');
    now += 3_600_000;
    await session.removeBreakpoint(session.store.getState().state.breakpoints[0]!.id);
    await session.releaseWith();
    const { execution } = session.store.getState().state;
    expect(execution?.waitedMs).toBe(3_600_000);
    expect(execution?.stepExecutions.map(({ durationMs }) => durationMs)).toEqual([0, 0]);
  });

  it('a wait survives a reload, and nothing goes on by itself', async () => {
    const sessions = memorySessions();
    const { agent, seen } = lookingAgent();
    const session = open(agent, sessions);
    await session.setBreakpoint({ type: 'tool', toolName: 'look' });
    await session.sendMessage('Hello');
    await session.dispose();
    expect(breakHits(await storedState(sessions))).toHaveLength(1);
    const again = createAgentSession({
      agent: scriptedAgent([{ text: 'Found it.' }], { tools: [...agent.tools] }),
      sessions,
      sessionId: 'a',
      publish: 'immediate',
      resume: true,
    });
    await again.ready;
    expect(again.store.getState()).toMatchObject({ status: 'awaiting-input', activity: { type: 'paused' } });
    expect(seen).toEqual([]);
    expect(await again.releaseWith()).toMatchObject({ outcome: 'completed' });
    expect(seen).toEqual([{ at: 1 }]);
    expect(shownTexts(again).at(-1)).toBe('Found it.');
  });

  it('breakpoints stay with the session when another branch is begun', async () => {
    const session = open(lookingAgent().agent);
    await session.sendMessage('Hello');
    await session.setBreakpoint({ type: 'model' }, { id: 'kept' });
    const turn = await session.regenerate();
    expect(turn.status).toBe('awaiting-input');
    expect(session.store.getState().state.breakpoints).toMatchObject([{ id: 'kept' }]);
  });
});
