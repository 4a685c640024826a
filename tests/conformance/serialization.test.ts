import {
  AgentState,
  AgentStep,
  createAgentLoop,
  defineHook,
  ExecutionBudget,
  ExecutionContinuation,
  ExecutionState,
  StopSignal,
} from '@vitrine/core';
import { describe, expect, it, vi } from 'vitest';
import { asked, call, expectRun, final, fixedEnv, roundTrip, scripted, u } from './fixtures.ts';

const text = (value: unknown): string => JSON.stringify(value);
const run = () =>
  expectRun([call('ok', {}, { usage: u(7) }), final('x', { usage: { ...u(1), cost: 0.1 } })]).toEnd(
    'completed',
    'completed',
    { steps: 2 },
  );

describe('a state that is saved and loaded', () => {
  it('169 a loaded state is equal, and saved again gives the same text', async () => {
    const { state } = await run();
    const marked = AgentState.withMetadata(state, { a: [1, { b: null }] });
    const read = roundTrip(marked);
    expect(read).toEqual(marked);
    expect(text(AgentState.toJSON(read))).toBe(text(AgentState.toJSON(marked)));
    expect(AgentState.steps(read).map(AgentStep.type)).toEqual(['tool-execution', 'final-response']);
    expect(AgentState.usage(read)).toMatchObject({ totalTokens: 8, cost: 0.1 });
    expect([AgentState.status(read), AgentState.stopReason(read), read.executionCount]).toEqual([
      'completed',
      'completed',
      1,
    ]);
  });

  it('170 a loaded state keeps its nulls: the execution, its steps and its end', () => {
    expect(roundTrip(AgentState.create()).execution).toBe(null);
    const pending = AgentState.withStopSignal(AgentState.create(), StopSignal.userRequested());
    const { execution } = roundTrip(pending);
    expect(execution).toMatchObject({
      executionId: pending.execution?.executionId,
      stepExecutions: [],
      completedAt: null,
      currentStep: null,
    });
    const failed = AgentState.withFailure(AgentState.create(), new Error('x'));
    expect(roundTrip(failed).execution?.completedAt).toBe(null);
  });

  it('174 a loaded state keeps milliseconds of times and durations', async () => {
    const env = fixedEnv(1_767_225_600_123);
    const takes = defineHook({ name: 'takes', on: 'before-inference', run: () => env.advance(7) });
    const { state } = await expectRun([final()], { hooks: [takes] }, { env, state: asked(env) }).toEnd(
      'completed',
      'completed',
    );
    const { execution, createdAt } = roundTrip(state);
    expect([createdAt, execution?.startedAt, execution?.completedAt]).toEqual([
      1_767_225_600_123, 1_767_225_600_123, 1_767_225_600_130,
    ]);
    expect(execution?.stepExecutions[0]).toMatchObject({
      startedAt: 1_767_225_600_123,
      completedAt: 1_767_225_600_130,
      durationMs: 7,
    });
  });

  it('176 a loaded state has malformed dates mended, and invalid ids are refused', async () => {
    const document = JSON.parse(text(AgentState.toJSON((await run()).state)));
    const read = (fields: object): AgentState =>
      AgentState.fromJSON({ ...document, execution: { ...document.execution, ...fields } });
    const now = 1_767_225_700_000;
    vi.useFakeTimers({ toFake: ['Date'], now });
    try {
      for (const bad of ['', 'yesterday?'])
        expect(read({ startedAt: bad, completedAt: bad }).execution).toMatchObject({
          startedAt: now,
          completedAt: null,
        });
    } finally {
      vi.useRealTimers();
    }
    const refused = (place: string) =>
      expect.objectContaining({ code: 'state-invalid', message: expect.stringContaining(place) });
    expect(() => read({ executionId: 'abc' })).toThrow(refused('executionId'));
    expect(() => AgentState.fromJSON({ ...document, agentId: 'abc' })).toThrow(refused('agentId'));
  });

  it('179 a state is refused when its format is newer or missing, and loads with unknown keys', async () => {
    const { state } = await run();
    const document = JSON.parse(text(AgentState.toJSON(state)));
    expect(() => AgentState.fromJSON({ ...document, version: document.version + 1 })).toThrow(
      expect.objectContaining({ code: 'state-version-unsupported' }),
    );
    for (const version of [0, -1, '1', null, undefined])
      expect(() => AgentState.fromJSON({ ...document, version }), String(version)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^state-/) }),
      );
    const more = JSON.parse(text(document).replaceAll('{"', '{"future":{"x":1},"'));
    expect(AgentState.fromJSON({ ...more, texts: document.texts })).toMatchObject({
      agentId: state.agentId,
      executionCount: 1,
    });
    expect(AgentState.fromJSON({ ...document, future: true })).toEqual(state);
  });

  it('181 a state saved in the middle of a run continues from there, with three steps under the same id', async () => {
    for (const at of [1, 2]) {
      const loop = createAgentLoop(scripted([call(), call(), final()]));
      let saved: AgentState | null = null;
      for await (const state of loop.iterate(asked())) {
        saved = roundTrip(state);
        if (AgentState.stepCount(state) === at) break;
      }
      const script = [call(), final()].slice(at - 1);
      const { state } = await expectRun(script, {}, { state: saved! }).toEnd('completed', 'completed', {
        steps: 3,
        modelCalls: 3 - at,
      });
      expect(state.execution?.executionId).toBe(saved?.execution?.executionId);
      expect(state.executionCount).toBe(1);
      expect(AgentState.steps(state)[0]).toEqual(AgentState.steps(saved!)[0]);
    }
  });
});

describe('the other objects', () => {
  it('177 keep signals with reason, message, context and source, and the request to go on', () => {
    const continuation = ExecutionContinuation.of({
      stopSignals: [StopSignal.of('unknown', { message: 'm', context: { a: [1] }, source: 's' })],
      isContinuationRequested: true,
      overridden: [StopSignal.userRequested()],
    });
    const document = JSON.parse(text(ExecutionContinuation.toJSON(continuation)));
    expect(ExecutionContinuation.fromJSON(document)).toEqual(continuation);
    const state = AgentState.withExecutionContinued(
      AgentState.withStopSignal(AgentState.create(), continuation.stopSignals[0]!),
    );
    const read = ExecutionState.fromJSON(JSON.parse(text(ExecutionState.toJSON(state.execution!))));
    expect(read.continuation).toEqual(state.execution?.continuation);
  });

  it('178 keep a budget with its deadline, limits that are absent as null', () => {
    const budget = ExecutionBudget.of({ maxSteps: 3, maxCost: 0.25, deadline: 1_790_000_000_000 });
    const read = ExecutionBudget.fromJSON(JSON.parse(text(ExecutionBudget.toJSON(budget))));
    expect(read).toEqual({
      maxSteps: 3,
      maxTokens: null,
      maxSeconds: null,
      maxCost: 0.25,
      deadline: 1_790_000_000_000,
    });
  });
});
