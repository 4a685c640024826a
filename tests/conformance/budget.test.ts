import { AgentState, ExecutionBudget, StopReason } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { asked, call, delegate, endOf, final, run, scripted, u } from './fixtures.ts';

describe('the limit of steps', () => {
  // 80
  it('of 0 stops before the model is called', async () => {
    const agent = scripted([final()], { budget: { maxSteps: 0 } });
    const { state, events } = await run(agent);
    expect(endOf(state)).toEqual(['stopped', 'steps-limit-reached', 0]);
    expect(agent.modelCalls()).toBe(0);
    expect(events.filter(({ type }) => type === 'inference-start')).toEqual([]);
  });

  it('allows exactly as many steps as it says, and a final answer in the last of them completes', async () => {
    const { state } = await run(scripted([call()], { budget: { maxSteps: 3 } }));
    expect(endOf(state)).toEqual(['stopped', 'steps-limit-reached', 3]);
    const last = await run(scripted([call(), final()], { budget: { maxSteps: 2 } }));
    expect(endOf(last.state)).toEqual(['completed', 'completed', 2]);
  });

  // 95
  it('is 20 for an agent that names none, also when it names other limits', async () => {
    expect(endOf((await run(scripted([call()]))).state)).toEqual(['stopped', 'steps-limit-reached', 20]);
    const priced = scripted([call()], { budget: { maxTokens: 1_000_000 } });
    expect(endOf((await run(priced)).state)).toEqual(['stopped', 'steps-limit-reached', 20]);
  });

  // 53
  it('does not leak into the next run', async () => {
    const agent = scripted([call()], { budget: { maxSteps: 1 } });
    const first = await run(agent);
    const second = await run(agent, { state: first.state });
    expect(endOf(second.state)).toEqual(['stopped', 'steps-limit-reached', 1]);
    expect(AgentState.stopSignals(second.state)).toHaveLength(1);
    expect(second.state.execution?.executionId).not.toBe(first.state.execution?.executionId);
    expect(second.state.executionCount).toBe(2);
  });

  // 69
  it('stops a run whose tool fails in every step', async () => {
    const { state } = await run(scripted([call('bad')], { budget: { maxSteps: 2 } }));
    expect(endOf(state)).toEqual(['stopped', 'steps-limit-reached', 2]);
    expect(AgentState.hasErrors(state)).toBe(true);
  });
});

describe('the limit of tokens', () => {
  // 82
  it.each([
    [10, 2, 10],
    [11, 3, 15],
  ])('of %d is asked before every step: %d steps of 5 tokens make %d', async (maxTokens, steps, tokens) => {
    const { state } = await run(scripted([call('ok', { usage: u(5) })], { budget: { maxTokens } }));
    expect(endOf(state)).toEqual(['stopped', 'token-limit-reached', steps]);
    expect(AgentState.usage(state).totalTokens).toBe(tokens);
  });

  // 83
  it('of 0 stops before the first step', async () => {
    const agent = scripted([final()], { budget: { maxTokens: 0 } });
    expect(endOf((await run(agent)).state)).toEqual(['stopped', 'token-limit-reached', 0]);
    expect(agent.modelCalls()).toBe(0);
  });

  // 84
  it('does not stop a final answer that overshoots it', async () => {
    const { state } = await run(scripted([final('x', { usage: u(50) })], { budget: { maxTokens: 5 } }));
    expect(endOf(state)).toEqual(['completed', 'completed', 1]);
    expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toEqual(['completed']);
  });

  // 87
  it('is recorded beside the limit of steps, which decides', async () => {
    const agent = scripted([call('ok', { usage: u(5) })], { budget: { maxSteps: 1, maxTokens: 5 } });
    const { state } = await run(agent);
    expect(endOf(state)).toEqual(['stopped', 'steps-limit-reached', 1]);
    expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toEqual([
      'steps-limit-reached',
      'token-limit-reached',
    ]);
  });
});

describe('the limit of time', () => {
  // 85
  it('is reached at its value, not before, and never without a start', () => {
    const budget = ExecutionBudget.of({ maxSeconds: 60 });
    expect(ExecutionBudget.exceeded(budget, { seconds: 59.9 }, 0)).toEqual([]);
    expect(ExecutionBudget.exceeded(budget, {}, 0)).toEqual([]);
    expect(ExecutionBudget.exceeded(budget, { seconds: 60 }, 0)).toMatchObject([
      { reason: 'time-limit-reached', context: { elapsedSeconds: 60, maxSeconds: 60 } },
    ]);
  });
});

describe('a budget', () => {
  // 90
  it('without a limit stops nothing, and one with a limit begins from zero in every run', async () => {
    const open = scripted([call(), call(), call(), final()], { budget: { maxSteps: null } });
    expect(endOf((await run(open)).state)).toEqual(['completed', 'completed', 4]);
    const agent = scripted([call('ok', { usage: u(5) })], { budget: { maxTokens: 10 } });
    const first = await run(agent);
    const second = await run(agent, { state: first.state });
    expect(endOf(second.state)).toEqual(['stopped', 'token-limit-reached', 2]);
    expect(AgentState.usage(second.state).totalTokens).toBe(10);
  });

  // 91
  it('is empty when nothing is limited, and exhausted when a limit is 0 or its deadline is over', () => {
    const { of, isEmpty, isExhausted, unlimited } = ExecutionBudget;
    expect([unlimited(), of(), of({ maxCost: null })].map(isEmpty)).toEqual([true, true, true]);
    expect(isEmpty(of({ deadline: 1 }))).toBe(false);
    for (const limit of ['maxSteps', 'maxTokens', 'maxSeconds', 'maxCost', 'deadline']) {
      expect(isExhausted(of({ [limit]: 0 }))).toBe(true);
    }
    expect(isExhausted(of({ deadline: Date.now() - 1 }))).toBe(true);
    expect(isExhausted(of({ deadline: Date.now() + 60_000, maxSteps: 1 }))).toBe(false);
    expect(isExhausted(unlimited())).toBe(false);
  });

  // 178
  it('round-trips with its deadline, limits that are absent as null', () => {
    const budget = ExecutionBudget.of({ maxSteps: 3, maxCost: 0.25, deadline: 1_790_000_000_000 });
    const text = JSON.stringify(ExecutionBudget.toJSON(budget));
    expect(ExecutionBudget.fromJSON(JSON.parse(text))).toEqual(budget);
    expect(budget.maxTokens).toBe(null);
  });

  it('that no budget can be is refused when it is read', () => {
    const document = ExecutionBudget.toJSON(ExecutionBudget.of({ maxTokens: 7 }));
    const damaged = JSON.parse(JSON.stringify(document).replace('7', '-7'));
    expect(() => ExecutionBudget.fromJSON(damaged)).toThrow(
      expect.objectContaining({ code: 'state-invalid' }),
    );
  });
});

describe('usage', () => {
  // 20
  it('totals the archived steps and the current one', async () => {
    const agent = scripted([
      call('ok', { usage: u(3) }),
      call('ok', { usage: u(4) }),
      final('x', { usage: u(5) }),
    ]);
    const { state } = await run(agent);
    expect(AgentState.usage(state).totalTokens).toBe(12);
  });

  // 5
  it('begins at zero with the next execution, with no step and no status', async () => {
    const { state } = await run(scripted([final('x', { usage: u(3) })]));
    const next = AgentState.forNextExecution(state);
    expect(endOf(next)).toEqual([null, null, 0]);
    expect(AgentState.usage(next).totalTokens).toBe(0);
    expect(next.executionCount).toBe(state.executionCount);
    expect(AgentState.messages(next)).toEqual(AgentState.messages(state));
  });

  // 7
  it('of a new state is zero', () => {
    expect(AgentState.usage(AgentState.create()).totalTokens).toBe(0);
    expect(AgentState.shouldStop(AgentState.create())).toBe(true);
    expect(AgentState.stopReason(AgentState.create())).toBe(null);
  });

  // 169
  it('is the same after a round trip', async () => {
    const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2, cost: 0.7 };
    const { state } = await run(
      scripted([call('ok', { usage }), final('x', { usage: { ...usage, cost: 0.1 } })]),
    );
    const read = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
    expect(AgentState.usage(read)).toEqual(AgentState.usage(state));
    expect(AgentState.usage(read)).toMatchObject({ totalTokens: 20, cost: 0.8, cacheReadTokens: 4 });
  });
});

describe('a subagent', () => {
  // 146
  it('that its own limit stopped answers with that, and why', async () => {
    const child = scripted([call()], { name: 'child', budget: { maxSteps: 1 } });
    const { state } = await run(scripted([delegate('child'), final()], { subagents: [child] }));
    const [execution] = AgentState.steps(state)[0]?.toolExecutions ?? [];
    expect(execution?.status).toBe('failed');
    expect(execution?.error?.message).toContain('"child" was stopped: steps-limit-reached');
    expect(AgentState.status(state)).toBe('completed');
  });

  // 149
  it('keeps its own limit when the parent has none', async () => {
    const child = scripted([call()], { name: 'child', budget: { maxSteps: 5 } });
    const parent = scripted([delegate('child'), final()], {
      subagents: [child],
      budget: ExecutionBudget.unlimited(),
    });
    await run(parent);
    expect(child.modelCalls()).toBe(5);
  });
});

describe('a limit', () => {
  // 33
  it('beats a natural end, whichever was first', () => {
    const state = AgentState.withStopSignal(asked(), {
      reason: 'finish-reason-received',
      message: '',
      context: {},
      source: null,
      at: 0,
    });
    const [signal] = ExecutionBudget.exceeded(ExecutionBudget.of({ maxSteps: 1 }), { steps: 1 }, 0);
    const both = AgentState.withStopSignal(state, signal!);
    expect(AgentState.stopReason(both)).toBe('steps-limit-reached');
    expect(AgentState.stopSignals(both)[0]?.reason).toBe('finish-reason-received');
    expect(StopReason.wasForceStopped('steps-limit-reached')).toBe(true);
  });
});
