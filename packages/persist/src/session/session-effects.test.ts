import { expect, it, vi } from 'vitest';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { EffectLog } from '@vitrine/core/internal/run/effect-log';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { memoryEffects } from '@vitrine/testing/internal/memory-effects';
import { heldTool, storedState } from '@vitrine/testing/internal/session.fixture';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** A log that notes what is forgotten, with the stored status at that moment. */
function noteWrite(sessions: SessionStore | null): {
  readonly effects: EffectLog;
  readonly forgotten: string[];
} {
  const forgotten: string[] = [];
  const effects: EffectLog = {
    ...memoryEffects(),
    async forget(executionId) {
      const { execution } = sessions === null ? { execution: null } : await storedState(sessions);
      forgotten.push(execution?.executionId === executionId ? execution.status : 'not stored');
    },
  };
  return { effects, forgotten };
}

it('a session deletes the records of an execution when its end is stored', async () => {
  const sessions = memorySessions();
  const { effects, forgotten } = noteWrite(sessions);
  const session = createAgentSession({
    agent: scriptedAgent([{ text: 'Hi' }]),
    sessionId: 'a',
    sessions,
    effects,
  });
  await session.sendMessage('Hello');
  await vi.waitFor(() => expect(forgotten).toEqual(['completed']));
  await session.dispose();
});

it('a session keeps the records of an execution whose end could not be stored, until the next end is', async () => {
  const whole = memorySessions();
  let isFull = false;
  const write = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return (...args: Args): Promise<Result> =>
      isFull ? Promise.reject(new Error('The disk is full.')) : call(...args);
  };
  const { append } = whole;
  const sessions = { ...whole, save: write(whole.save), ...(append ? { append: write(append) } : {}) };
  const { effects, forgotten } = noteWrite(null);
  const agent = scriptedAgent([{ text: 'Hi' }]);
  const session = createAgentSession({ agent, sessionId: 'a', sessions, effects });
  await session.sendMessage('Hello');
  await vi.waitFor(() => expect(forgotten).toHaveLength(1));
  isFull = true;
  await session.sendMessage('Again');
  expect(forgotten).toHaveLength(1);
  isFull = false;
  await session.sendMessage('Once more');
  await vi.waitFor(() => expect(forgotten).toHaveLength(3));
  await session.dispose();
});

it('a session without a store deletes the records when the execution ends', async () => {
  const { effects, forgotten } = noteWrite(null);
  const session = createAgentSession({ agent: scriptedAgent([{ text: 'Hi' }]), effects });
  await session.sendMessage('Hello');
  await vi.waitFor(() => expect(forgotten).toHaveLength(1));
});

it('a session that continues the run of a dead process uses its recorded outcomes', async () => {
  const sessions = memorySessions();
  const effects = memoryEffects();
  const { tool, runs, end } = heldTool('pay', { effects: 'once' });
  const script = [{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'Done' }];
  const agent = scriptedAgent(script, { tools: [tool] });
  // The store ends with the process, so that nothing after the start of the call is written.
  let isDead = false;
  const never = (): Promise<never> => new Promise(() => undefined);
  const { append } = sessions;
  const mortal: SessionStore = {
    ...sessions,
    save: (...args) => (isDead ? never() : sessions.save(...args)),
    ...(append ? { append: (...args) => (isDead ? never() : append(...args)) } : {}),
  };
  const keeping = { ...effects, forget: never };
  const first = createAgentSession({ agent, sessionId: 'a', sessions: mortal, effects: keeping });
  void first.sendMessage('Pay');
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  isDead = true;
  end('paid');
  await vi.waitFor(() => expect(steps(first.store.getState().state)).toHaveLength(2));
  const second = createAgentSession({ agent, sessionId: 'a', sessions, effects, resume: true });
  await second.ready;
  await vi.waitFor(() => expect(second.store.getState().status).toBe('ready'));
  const { state }: { state: AgentState } = second.store.getState();
  expect(steps(state)[0]?.toolExecutions).toMatchObject([{ status: 'completed', result: 'paid' }]);
  expect(runs).toHaveLength(1);
  await second.dispose();
});

it('a run that goes on keeps the outcomes that it records, while those of its first end are still being deleted', async () => {
  const log = memoryEffects();
  const forgetting: (() => void)[] = [];
  const order: string[] = [];
  const effects: EffectLog = {
    ...log,
    async forget(executionId) {
      await new Promise<void>((resolve) => forgetting.push(resolve));
      order.push('forgotten');
      await log.forget(executionId);
    },
  };
  const look = heldTool('look');
  const agent = scriptedAgent(
    [
      { toolCalls: [{ name: 'look', input: 1 }] },
      { toolCalls: [{ name: 'look', input: 2 }] },
      { text: 'Done' },
    ],
    { tools: [look.tool], budget: { maxSteps: 1 } },
  );
  const session = createAgentSession({ agent, effects, publish: 'immediate' });
  const sent = session.sendMessage('Look');
  await vi.waitFor(() => expect(look.runs).toHaveLength(1));
  look.end();
  await sent;
  await vi.waitFor(() => expect(forgetting).toHaveLength(1));
  session.onEvent(({ type }) => void (type === 'inference-start' && order.push('asked')));
  const going = session.continueRun();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(order).toEqual([]);
  forgetting[0]?.();
  await vi.waitFor(() => expect(look.runs).toHaveLength(2));
  expect(order).toEqual(['forgotten', 'asked']);
  look.end();
  await going;
});
