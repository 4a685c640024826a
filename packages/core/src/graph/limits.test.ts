import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as AgentState from './agent-state/create.ts';
import type { AgentState as State, AgentStep, ExecutionState, StepExecution } from './types.ts';
import { fresh } from './execution-continuation.ts';
import { of as usageOf, type Usage } from './usage.ts';
import { largestOutput, usage as usageOfExecution } from './execution-state.ts';
import { budgetView } from './execution-budget.ts';
import * as Budget from './execution-budget.ts';
import { limits, spentOf } from './limits.ts';

const start = 1_000_000;

function step(id: string, usage: Partial<Usage> | null, children: readonly State[] = []): AgentStep {
  const toolExecutions = children.map((childState, index) => ({ id: `${id}-${index}`, childState }));
  const inferenceResponse = usage === null ? null : { usage: usageOf(usage) };
  return { id, outputMessages: [], errors: [], toolExecutions, inferenceResponse } as unknown as AgentStep;
}

function archived(value: AgentStep): StepExecution {
  return { id: value.id, step: value, continuation: fresh(), startedAt: 0, completedAt: 0, durationMs: 0 };
}

function state(init: Partial<ExecutionState> = {}, updatedAt = start): State {
  const execution = {
    executionId: 'e',
    status: 'in-progress',
    startedAt: start,
    completedAt: null,
    stepExecutions: [],
    continuation: fresh(),
    currentStepStartedAt: null,
    currentStep: null,
    waitedMs: 0,
    waitingSince: null,
    errors: [],
    ...init,
  } as ExecutionState;
  return { ...AgentState.create(), updatedAt, execution };
}

describe('the spending of an execution', () => {
  it('time is counted in seconds of work, without waiting for a person', () => {
    const seconds = (init: Partial<ExecutionState>, now: number): number =>
      spentOf(state(init), start + now).seconds;
    expect(seconds({}, 1500)).toBe(1.5);
    expect(seconds({ waitedMs: 1000 }, 1500)).toBe(0.5);
    expect(seconds({ waitingSince: start + 200 }, 60_000)).toBe(0.2);
    expect(seconds({ waitedMs: 100, waitingSince: start + 200 }, 60_000)).toBe(0.1);
    expect(seconds({ status: 'completed', completedAt: start + 700 } as ExecutionState, 60_000)).toBe(0.7);
    expect(seconds({ status: 'pending' } as ExecutionState, 60_000)).toBe(0);
  });

  it('time does not decrease or become negative when the clock is set back', () => {
    const later = state({}, start + 3000);
    expect(spentOf(later, start + 500).seconds).toBe(3);
    expect(spentOf(state({ waitingSince: start + 900 }), start - 10_000).seconds).toBe(0);
    expect(spentOf(state({ startedAt: start + 50_000 }), start).seconds).toBe(0);
  });

  it('steps are counted when they are completed, not in flight', () => {
    const steps = { stepExecutions: [archived(step('a', {}))], currentStep: step('b', {}) };
    expect(spentOf(state(steps), start).steps).toBe(1);
    expect(spentOf(AgentState.create(), start)).toEqual({
      steps: 0,
      tokens: 0,
      seconds: 0,
      cost: 0,
      hasUnknownCost: false,
    });
  });

  it('spending includes running subagents at any depth, each once', () => {
    const grandchild = state({ currentStep: step('g', { inputTokens: 5, cost: 0.1 }) });
    const child = state({
      stepExecutions: [archived(step('c', { inputTokens: 10, cost: 0.7 }))],
      currentStep: step('d', null, [grandchild]),
    });
    const parent = state({ currentStep: step('p', { outputTokens: 100, cost: 0 }, [child]) });
    expect(spentOf(parent, start)).toMatchObject({ tokens: 115, cost: 0.8, hasUnknownCost: false });
    expect(largestOutput(parent)).toBe(100);
    const finished = state({ stepExecutions: [archived(parent.execution?.currentStep as AgentStep)] });
    expect(spentOf(finished, start)).toMatchObject({ tokens: 115, cost: 0.8 });
  });

  it('spending reports a call of unknown price, also of a subagent', () => {
    const spoilt = step('s', {});
    const { usage } = spoilt.inferenceResponse!;
    Object.assign(spoilt, { inferenceResponse: { usage: { ...usage, cost: Number.NaN } } });
    expect(spentOf(state({ currentStep: spoilt }), start)).toMatchObject({ cost: 0, hasUnknownCost: true });
    const unpriced = state({ currentStep: step('c', { inputTokens: 1 }) });
    const parent = state({ currentStep: step('p', { cost: 1 }, [unpriced]) });
    expect(spentOf(parent, start)).toMatchObject({ cost: 1, hasUnknownCost: true });
    expect(spentOf(state({ currentStep: step('p', null) }), start).hasUnknownCost).toBe(false);
  });

  it('spending is the same for equal lists of steps, however they were built', () => {
    const usages = fc.array(
      fc.record({ inputTokens: fc.nat(1000), cost: fc.option(fc.nat(10_000).map((cost) => cost / 1000)) }),
      { maxLength: 12 },
    );
    const changes = fc.array(fc.record({ at: fc.nat(11), usage: fc.nat(1000) }), { maxLength: 6 });
    const property = fc.property(usages, changes, (given, edits) => {
      let list: StepExecution[] = [];
      const check = (): void => {
        const { totalTokens, cost } = usageOfExecution(state({ stepExecutions: list }).execution!);
        const expected = list.map((entry) => entry.step.inferenceResponse!.usage);
        expect(totalTokens).toBe(expected.reduce((sum, usage) => sum + usage.totalTokens, 0));
        const millionths = expected.reduce((sum, usage) => sum + Math.round((usage.cost ?? 0) * 1e6), 0);
        expect(Math.round((cost ?? 0) * 1e6)).toBe(millionths);
      };
      given.forEach((usage, index) => {
        list = [...list, archived(step(`${index}`, usage))];
        check();
        // Recording the check after a step replaces the last entry.
        list = [...list.slice(0, -1), { ...list.at(-1)!, continuation: fresh() }];
        check();
      });
      for (const { at, usage } of edits) {
        if (at >= list.length) continue;
        list = list.map((entry, index) =>
          index === at ? archived(step('x', { inputTokens: usage })) : entry,
        );
        check();
      }
      list = list.slice(1);
      check();
    });
    fc.assert(property);
  });

  it('spending costs one sum for each step added or replaced at the end, in a list of any length', () => {
    let reads = 0;
    const counted = (id: string): StepExecution => {
      const entry = archived(step(id, { inputTokens: 1 }));
      const { step: value } = entry;
      return Object.defineProperty(entry, 'step', { get: () => (reads++, value) });
    };
    let list: StepExecution[] = [];
    for (let index = 0; index < 500; index++) {
      list = [...list, counted(`${index}`)];
      expect(usageOfExecution(state({ stepExecutions: list }).execution!).totalTokens).toBe(index + 1);
      list = [...list.slice(0, -1), counted(`${index} again`)];
      expect(usageOfExecution(state({ stepExecutions: list }).execution!).totalTokens).toBe(index + 1);
    }
    expect(reads).toBeLessThan(1100);
  });
});

describe('the budget of an execution', () => {
  it.each([
    [{ maxSteps: Number.NaN }, 'maxSteps is NaN'],
    [{ maxTokens: -1 }, 'maxTokens is -1'],
    [{ maxCost: undefined }, 'maxCost is undefined'],
    [{ maxSeconds: Infinity }, 'maxSeconds is Infinity'],
    [{ deadline: 'soon' }, 'deadline is "soon"'],
    [{ maxToken: 5 }, 'maxToken is not a limit'],
  ])('a budget rejects %o, names the limit and says what to do', (given, text) => {
    const make = (): unknown => Budget.of(given as unknown as Partial<Budget.ExecutionBudget>);
    expect(make).toThrow(text);
    expect(make).toThrow(expect.objectContaining({ code: 'budget-invalid' }));
  });

  it('a budget takes every limit of the table, 0 and null included', () => {
    for (const { key } of limits) {
      expect(Budget.of({ [key]: 0 })[key]).toBe(0);
      expect(Budget.isExhausted(Budget.of({ [key]: 0 }))).toBe(true);
      expect(Budget.isEmpty(Budget.of({ [key]: 3 }))).toBe(false);
      expect(Budget.isEmpty(Budget.of({ [key]: null }))).toBe(true);
    }
    expect(Budget.of()).toEqual(Budget.unlimited());
    expect(Budget.of({ deadline: 5.4 }).deadline).toBe(5);
  });

  it('a budget counts money in whole millionths: 0.7 and 0.1 reach 0.8, and nothing is left', () => {
    const usage = { stepExecutions: [step('a', { cost: 0.7 }), step('b', { cost: 0.1 })].map(archived) };
    const spent = spentOf(state(usage), start);
    const budget = Budget.of({ maxCost: 0.8 });
    expect(Budget.stopSignals(budget, spent, start)).toMatchObject([
      { reason: 'cost-limit-reached', message: 'Cost limit reached: 0.8/0.8' },
    ]);
    expect(Budget.remaining(budget, spent).maxCost).toBe(0);
    expect(Budget.remaining(Budget.of({ maxCost: 0.9 }), spent).maxCost).toBe(0.1);
    expect(Budget.stopSignals(Budget.of({ maxCost: 0.800001 }), spent, start)).toEqual([]);
    expect(Budget.stopSignals(Budget.of({ maxCost: 0.3 }), { cost: 0.3 - 1e-12 }, start)).toHaveLength(1);
  });

  it('a budget of money is reached by a call of unknown price, and says what to do', () => {
    const spent = spentOf(state({ currentStep: step('a', { inputTokens: 5 }) }), start);
    const [found] = Budget.stopSignals(Budget.of({ maxCost: 100 }), spent, start);
    expect(found?.reason).toBe('cost-limit-reached');
    expect(found?.message).toContain('llmConfig.prices');
    expect(Budget.remaining(Budget.of({ maxCost: 100 }), spent).maxCost).toBe(0);
    expect(Budget.stopSignals(Budget.of({ maxTokens: 100 }), spent, start)).toEqual([]);
  });

  it('a budget counts an amount that is no number as fully spent', () => {
    const spent = { tokens: Number.NaN };
    expect(Budget.stopSignals(Budget.of({ maxTokens: 5 }), spent, start)).toHaveLength(1);
  });

  it('a budget is shown as spent, limit and left of every amount, with its deadline', () => {
    const spent = { steps: 2, tokens: 12, seconds: 1.5, cost: 0.7, hasUnknownCost: false };
    expect(budgetView(Budget.of({ maxSteps: 3, maxTokens: 10, maxCost: 0.8, deadline: 9 }), spent)).toEqual({
      steps: { spent: 2, limit: 3, left: 1 },
      tokens: { spent: 12, limit: 10, left: 0 },
      seconds: { spent: 1.5, limit: null, left: null },
      cost: { spent: 0.7, limit: 0.8, left: 0.1 },
      deadline: 9,
    });
  });

  it('a budget is capped by another one limit by limit, at the tighter value', () => {
    const own = Budget.of({ maxSteps: 3, maxTokens: 100, maxCost: 1 });
    const cap = Budget.of({ maxSteps: 9, maxTokens: 50, maxSeconds: 60 });
    const tighter = { maxSteps: 3, maxTokens: 50, maxCost: 1, maxSeconds: 60 };
    expect(Budget.cappedBy(own, cap)).toEqual(Budget.of(tighter));
    expect(Budget.cappedBy(cap, own)).toEqual(Budget.of(tighter));
  });
});
