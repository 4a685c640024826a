import { describe, expect, it, vi } from 'vitest';
import { pendingApprovals } from '../../graph/agent-state/accessors.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { askingTool, gatedSessions, heldTool } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession, SessionSnapshot } from '../agent-session.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';

/** The status and activity of a session, each change once. */
function watch(session: AgentSession): string[] {
  const seen: string[] = [];
  const note = ({ status, activity }: SessionSnapshot): void => {
    const next = `${status}: ${activity.type}`;
    if (seen.at(-1) !== next) seen.push(next);
  };
  note(session.store.getState());
  session.store.subscribe(note);
  return seen;
}

describe('the status and activity of a session', () => {
  it('status and activity follow a turn with a tool and an approval', async () => {
    const [pay, look] = [askingTool('pay'), heldTool('look')];
    const script = [
      { reasoning: 'hm', toolCalls: [{ name: 'look', input: 1 }] },
      { toolCalls: [{ name: 'pay', input: 1 }] },
      { text: 'answer' },
    ];
    const agent = scriptedAgent(script, { tools: [pay.tool, look.tool] });
    const session = createAgentSession({ agent, publish: 'immediate' });
    const seen = watch(session);
    const sent = session.sendMessage('Hi');
    await vi.waitFor(() => expect(look.runs).toHaveLength(1));
    look.end();
    await sent;
    const { activity } = session.store.getState();
    await session.approve(activity.type === 'waiting' ? activity.toolCallIds[0]! : '');
    expect(seen).toEqual([
      'ready: idle',
      'submitted: thinking',
      'streaming: thinking',
      'streaming: tool',
      'streaming: thinking',
      'streaming: waiting',
      'awaiting-input: waiting',
      'submitted: thinking',
      'streaming: thinking',
      'streaming: tool',
      'streaming: thinking',
      'streaming: answering',
      'streaming: thinking',
      'ready: idle',
    ]);
  });

  it('status and activity name the next attempt, the maximum and the time', async () => {
    const env = fixedEnv();
    const script = [{ error: { message: 'overloaded', retryable: true } }, { text: 'answer' }];
    const agent = scriptedAgent(script, { retry: { baseDelayMs: 20, maxAttempts: 3 } });
    const session = createAgentSession({ agent, env, publish: 'immediate' });
    const retries: unknown[] = [];
    session.store.subscribe(({ status, activity }) => {
      if (activity.type === 'retrying') retries.push([status, activity]);
    });
    await session.sendMessage('Hi');
    expect(retries).toEqual([
      ['submitted', { type: 'retrying', attempt: 2, maxAttempts: 3, until: expect.any(Number) }],
    ]);
    const [[, { until }]] = retries as [[string, { until: number }]];
    expect(until).toBeGreaterThan(env.now());
    expect(session.store.getState()).toMatchObject({ status: 'ready', activity: { type: 'idle' } });
  });

  it('status and activity report the running tool, not a subagent that waits for a person', async () => {
    const [pay, slow] = [askingTool('pay'), heldTool('slow')];
    const kid = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }, { text: 'paid' }], {
      name: 'kid',
      tools: [pay.tool],
    });
    const toolCalls = [
      { name: 'delegate', input: { agent: 'kid', task: 't' } },
      { name: 'slow', input: 1 },
    ];
    const agent = scriptedAgent([{ toolCalls }, { text: 'ok' }], { tools: [slow.tool], subagents: [kid] });
    const session = createAgentSession({ agent, publish: 'immediate' });
    const turn = session.sendMessage('Hi');
    await vi.waitFor(() => {
      expect(pendingApprovals(session.store.getState().state)).toHaveLength(1);
      expect(slow.runs).toHaveLength(1);
    });
    await vi.waitFor(() =>
      expect(session.store.getState().activity).toMatchObject({ type: 'tool', toolName: 'slow', others: 1 }),
    );
    slow.end();
    expect((await turn).status).toBe('awaiting-input');
  });

  it('status and activity report that the stored session is read and a message waits', async () => {
    const sessions = gatedSessions(memorySessions());
    sessions.hold('load');
    const session = createAgentSession({ agent: scriptedAgent([{ text: 'A' }]), sessions, sessionId: 'a' });
    expect(session.store.getState().status).toBe('loading');
    const turn = session.sendMessage('Hi');
    expect(session.store.getState().status).toBe('loading');
    sessions.release();
    await turn;
    expect(session.store.getState().status).toBe('ready');
  });
});
