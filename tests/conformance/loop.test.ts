import {
  type AgentEvent,
  AgentState,
  AgentStep,
  createAgentLoop,
  defineHook,
  guard,
  Message,
  StopSignal,
} from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { asked, call, expectRun, final, iter, scripted } from './fixtures.ts';

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);
/** A hook that asks to go on as often as it is told to. */
const goesOn = (times: number) => {
  let asks = 0;
  return defineHook({
    name: 'more',
    on: 'after-step',
    run: (state) => (asks++ < times ? AgentState.withExecutionContinued(state) : state),
  });
};

describe('a run', () => {
  it('43 a run ends with the final answer', async () => {
    const { state } = await expectRun([final('Hello')]).toEnd('completed', 'completed', {
      steps: 1,
      text: 'Hello',
    });
    expect(AgentState.lastStepType(state)).toBe('final-response');
    expect(state.executionCount).toBe(1);
  });

  it('44 a run hands the result of a tool to the next step', async () => {
    const { state, requests } = await expectRun([call(), final('done')]).toEnd('completed', 'completed', {
      steps: 2,
    });
    expect(AgentState.steps(state).map(AgentStep.type)).toEqual(['tool-execution', 'final-response']);
    const [, second] = AgentState.steps(state);
    const result = { role: 'tool', parts: [{ type: 'tool-result', toolName: 'ok', output: 'ok' }] };
    expect(AgentStep.inputMessages(state, second!).at(-1)).toMatchObject(result);
    expect(requests[1]?.messages.at(-1)).toMatchObject(result);
  });

  it('45 yields a state after every step', async () => {
    const states = await iter(scripted([call(), call(), final()]));
    expect(states.map(AgentState.stepCount)).toEqual([1, 2, 3]);
    expect(states.map(AgentState.status)).toEqual(['in-progress', 'in-progress', 'completed']);
    expect(states.map(AgentState.currentStep)).toEqual([null, null, null]);
  });

  it('47 a run that is cancelled beforehand never calls the model, and yields one state', async () => {
    const stopped = { steps: 0, modelCalls: 0 };
    const signal = AbortSignal.abort();
    await expectRun([final()], {}, { signal }).toEnd('stopped', 'user-requested', stopped);
    const states = await iter(scripted([final()]), signal);
    expect(states.map(AgentState.status)).toEqual(['stopped']);
    expect(states.map(AgentState.stopReason)).toEqual(['user-requested']);
  });

  it('49 a run after a finished one is a new execution over the same messages', async () => {
    const first = await expectRun([final('One')]).toEnd('completed', 'completed', { steps: 1 });
    const state = AgentState.withUserMessage(first.state, 'Again');
    const second = await expectRun([final('Two')], {}, { state }).toEnd('completed', 'completed', {
      steps: 1,
    });
    expect(second.state.execution?.executionId).not.toBe(first.state.execution?.executionId);
    expect(second.state.executionCount).toBe(2);
    const texts = ['Hello', 'One', 'Again', 'Two'];
    expect(AgentState.messages(second.state).map(Message.text)).toEqual(texts);
    expect(second.requests[0]?.messages.slice(1).map(Message.text)).toEqual(texts.slice(0, 3));
  });

  it('51 a run of a new state with a stop signal ends at once', async () => {
    const state = AgentState.withStopSignal(asked(), StopSignal.userRequested());
    const end = await expectRun([final()], {}, { state }).toEnd('stopped', 'user-requested', {
      steps: 0,
      modelCalls: 0,
    });
    expect(end.state.execution?.executionId).toBe(state.execution?.executionId);
  });

  it('53 a run is not stopped by the limit of the one before', async () => {
    const init = { budget: { maxSteps: 1 } };
    const first = await expectRun([call()], init).toEnd('stopped', 'steps-limit-reached', { steps: 1 });
    const second = await expectRun([call()], init, { state: first.state }).toEnd(
      'stopped',
      'steps-limit-reached',
      { steps: 1, modelCalls: 1 },
    );
    expect(second.state.execution?.executionId).not.toBe(first.state.execution?.executionId);
    expect(AgentState.stopSignals(second.state)).toHaveLength(1);
    expect(second.state.executionCount).toBe(2);
  });

  it('55 a run that stops before a step ends without anything after that step', async () => {
    const points: string[] = [];
    const watch = defineHook({ name: 'all', on: 'all', run: (_state, ctx) => void points.push(ctx.point) });
    const stop = guard('stop', () => StopSignal.stopRequested(), { on: 'before-step' });
    const { events } = await expectRun([final()], { hooks: [watch, stop] }).toEnd(
      'stopped',
      'stop-requested',
      { steps: 0, modelCalls: 0 },
    );
    expect(points).toEqual(['before-execution', 'before-step', 'on-stop', 'after-execution']);
    expect(types(events)).not.toContain('step-end');
    expect(types(events).at(-1)).toBe('execution-end');
  });
});

describe('the model of a run', () => {
  const startedWith = (events: readonly AgentEvent[]): unknown =>
    events.flatMap((event) => (event.type === 'execution-start' ? [event.model] : []));

  it("56 the model of a run is the definition's and is not copied into the state; a state's own has precedence", async () => {
    const init = { llmConfig: { model: 'd', settings: { temperature: 1 } } };
    const plain = await expectRun([final()], init).toEnd('completed', 'completed');
    expect(plain.state.llmConfig).toBe(null);
    expect(plain.requests).toMatchObject([{ model: 'd', settings: { temperature: 1 } }]);
    expect(startedWith(plain.events)).toEqual(['d']);
    const llmConfig = { model: 's', settings: { temperature: 0 } };
    const state = AgentState.withLlmConfig(asked(), llmConfig);
    const own = await expectRun([final()], init, { state }).toEnd('completed', 'completed');
    expect(own.requests).toMatchObject([llmConfig]);
    expect(startedWith(own.events)).toEqual(['s']);
    expect(own.state.llmConfig).toEqual(llmConfig);
  });

  it('57 the model of a run is the one that the request really names', async () => {
    const state = AgentState.withLlmConfig(asked(), { model: 'state-model', settings: {} });
    const init = { llmConfig: { model: 'd' } };
    const { requests, state: end } = await expectRun([final()], init, { state }).toEnd(
      'completed',
      'completed',
    );
    expect(requests.map(({ model }) => model)).toEqual(['state-model']);
    expect(AgentState.lastStep(end)?.sent?.model).toBe('state-model');
  });
});

describe('a request to go on', () => {
  it('58 a request to go on after the first two answers makes three steps', async () => {
    await expectRun([final()], { hooks: [goesOn(2)] }).toEnd('completed', 'completed', {
      steps: 3,
      modelCalls: 3,
    });
  });

  it('60 a request to go on comes too late when the run is stopping', async () => {
    const late = defineHook({
      name: 'late',
      on: 'on-stop',
      run: (s) => AgentState.withExecutionContinued(s),
    });
    const { state } = await expectRun([final()], { hooks: [late] }).toEnd('completed', 'completed', {
      steps: 1,
      modelCalls: 1,
    });
    expect(state.execution?.continuation.isContinuationRequested).toBe(false);
  });

  it('63 together with a signal before a step lets that step run, and is spent with it', async () => {
    const both = defineHook({
      name: 'both',
      on: 'before-step',
      run: (state) =>
        AgentState.withExecutionContinued(AgentState.withStopSignal(state, StopSignal.stopRequested())),
    });
    const { state } = await expectRun([final()], { hooks: [both] }).toEnd('completed', 'completed', {
      steps: 1,
    });
    expect(state.execution?.continuation).toMatchObject({
      isContinuationRequested: false,
      stopSignals: [{ reason: 'completed' }],
      overridden: [{ reason: 'stop-requested' }],
    });
  });
});

describe('a signal after the end', () => {
  it('62 a signal after the end changes the status, which is still in-progress inside the hook', async () => {
    const seen: unknown[] = [];
    const late = defineHook({
      name: 'late',
      on: 'after-execution',
      run(state) {
        seen.push(AgentState.status(state));
        return AgentState.withStopSignal(state, StopSignal.userRequested());
      },
    });
    const { events } = await expectRun([final()], { hooks: [late] }).toEnd('stopped', 'user-requested', {
      steps: 1,
    });
    expect(seen).toEqual(['in-progress']);
    expect(events.at(-1)).toMatchObject({ type: 'execution-end', status: 'stopped' });
  });
});

describe('a loop', () => {
  it('45 a loop waits until the next state is requested', async () => {
    let modelCalls = 0;
    const agent = scripted([() => (modelCalls++, call()), final()]);
    for await (const state of createAgentLoop(agent).iterate(asked())) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect([AgentState.stepCount(state), modelCalls]).toEqual([1, 1]);
      break;
    }
  });
});
