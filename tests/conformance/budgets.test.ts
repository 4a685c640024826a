import { AgentState, defineHook, ExecutionBudget, finishReasonGuard } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { asked, call, expectRun, final, fixedEnv, throws, u } from './fixtures.ts';

const calling = (tokens: number) => [call('ok', {}, { usage: u(tokens) })];

describe('the limit of steps', () => {
  it('80 a limit of 0 steps stops before the model is called', async () => {
    const { events } = await expectRun([final()], { budget: { maxSteps: 0 } }).toEnd(
      'stopped',
      'steps-limit-reached',
      { steps: 0, modelCalls: 0 },
    );
    expect(events.filter(({ type }) => type === 'inference-start')).toEqual([]);
  });

  it('95 the limit of steps is 20 for an agent that names none, also when it names other limits', async () => {
    for (const init of [{}, { budget: { maxTokens: 1_000_000 } }])
      await expectRun([call()], init).toEnd('stopped', 'steps-limit-reached', { steps: 20, modelCalls: 20 });
  });
});

describe('the limit of tokens', () => {
  it.each([
    ['82 of 10 is reached by two steps of 5', 10, 2],
    ['82 of 11 is asked before a step, so that a third one overshoots to 15', 11, 3],
  ])('%s', async (_title, maxTokens, steps) => {
    await expectRun(calling(5), { budget: { maxTokens } }).toEnd('stopped', 'token-limit-reached', {
      steps,
      modelCalls: steps,
      tokens: steps * 5,
    });
  });

  it('83 a limit of 0 tokens stops before the first step', async () => {
    await expectRun([final()], { budget: { maxTokens: 0 } }).toEnd('stopped', 'token-limit-reached', {
      steps: 0,
      modelCalls: 0,
    });
  });

  it('84 the limit of tokens does not stop a final answer that overshoots it', async () => {
    const { state } = await expectRun([final('x', { usage: u(50) })], { budget: { maxTokens: 5 } }).toEnd(
      'completed',
      'completed',
      { steps: 1, tokens: 50 },
    );
    expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toEqual(['completed']);
  });

  it('87 the limit of tokens is recorded beside the limit of steps, which decides', async () => {
    const { state } = await expectRun(calling(5), { budget: { maxSteps: 1, maxTokens: 5 } }).toEnd(
      'stopped',
      'steps-limit-reached',
      { steps: 1 },
    );
    expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toEqual([
      'steps-limit-reached',
      'token-limit-reached',
    ]);
  });
});

describe('the limit of time', () => {
  it.each([
    ['85 does not stop a run after 59.9 of 60 s', 59_900, ['completed', 'completed', 2]],
    ['85 stops a run after 60 s', 60_000, ['stopped', 'time-limit-reached', 1]],
  ] as const)('%s', async (_title, ms, [status, reason, steps]) => {
    const env = fixedEnv();
    const takes = defineHook({ name: 'takes', on: 'after-tool-use', run: () => env.advance(ms) });
    const { state } = await expectRun(
      [call(), final()],
      { budget: { maxSeconds: 60 }, hooks: [takes] },
      { env, state: asked(env) },
    ).toEnd(status, reason, { steps });
    if (reason === 'time-limit-reached')
      expect(AgentState.stopSignal(state)?.context).toEqual({ elapsedSeconds: 60, maxSeconds: 60 });
  });

  it('85 the limit of time is not reached without a recorded start', () => {
    const budget = ExecutionBudget.of({ maxSeconds: 60 });
    expect(ExecutionBudget.stopSignals(budget, {}, 0)).toEqual([]);
    expect(ExecutionBudget.stopSignals(budget, { seconds: 60 }, 0)).toHaveLength(1);
  });
});

describe('a guard for finish reasons', () => {
  it('89 a guard for finish reasons ignores an answer without a finish reason', async () => {
    const hooks = [finishReasonGuard(['other'])];
    const { state } = await expectRun([throws('x')], { hooks }).toEnd('failed', 'error-forbade');
    expect(AgentState.stopSignals(state)).toHaveLength(1);
    await expectRun([final()], { hooks }).toEnd('completed', 'completed');
    await expectRun([{ ...call(), finishReason: 'other' }], { hooks }).toEnd(
      'completed',
      'finish-reason-received',
      { steps: 1 },
    );
  });
});

describe('a budget', () => {
  it('90 a budget without a limit stops nothing, and a limit starts from zero in every run', async () => {
    const script = [...Array.from({ length: 25 }, () => call()), final()];
    await expectRun(script, { budget: { maxSteps: null } }).toEnd('completed', 'completed', { steps: 26 });
    const init = { budget: { maxTokens: 10 } };
    const limited = ['stopped', 'token-limit-reached', { steps: 2, tokens: 10 }] as const;
    const first = await expectRun(calling(5), init).toEnd(...limited);
    await expectRun(calling(5), init, { state: first.state }).toEnd(...limited);
  });

  it('91 a budget is empty without limits, and exhausted when a limit is 0 or its deadline is over', () => {
    const { of, isEmpty, isExhausted, unlimited } = ExecutionBudget;
    expect([unlimited(), of(), of({ maxCost: null })].map(isEmpty)).toEqual([true, true, true]);
    expect(isEmpty(of({ deadline: 1 }))).toBe(false);
    for (const limit of ['maxSteps', 'maxTokens', 'maxSeconds', 'maxCost', 'deadline']) {
      expect(isExhausted(of({ [limit]: 0 })), limit).toBe(true);
    }
    expect(isExhausted(of({ deadline: Date.now() - 1 }))).toBe(true);
    expect(isExhausted(of({ deadline: Date.now() + 60_000, maxSteps: 1 }))).toBe(false);
    expect(isExhausted(unlimited())).toBe(false);
  });
});
