import {
  AgentState,
  AgentStep,
  createAgentLoop,
  defineHook,
  ErrorInfo,
  Message,
  ToolExecution,
  Usage,
} from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { asked, call, expectRun, final, fixedEnv, scripted, u } from './fixtures.ts';

const response = (tokens = 0): AgentStep['inferenceResponse'] => ({
  id: null,
  model: null,
  finishReason: 'stop',
  usage: Usage.of({ inputTokens: tokens }),
  durationMs: 1,
  firstDeltaMs: null,
});
const finalStep = (text: string, tokens = 0): AgentStep =>
  AgentStep.of({ outputMessages: [Message.assistant(text)], inferenceResponse: response(tokens) });
const toolStep = (text = ''): AgentStep =>
  AgentStep.of({
    outputMessages: [Message.assistant(text)],
    toolExecutions: [
      ToolExecution.ofCall({
        id: '01a1fb5b-f818-731c-853c-056649f2f8cb',
        name: 'ok',
        input: {},
        providerCallId: null,
      }),
    ],
    inferenceResponse: response(),
  });
const archived = (step: AgentStep, state = AgentState.create()): AgentState =>
  AgentState.withCurrentStepCompleted(AgentState.withCurrentStep(state, step));

describe('a step', () => {
  it('14 a step has its type from its errors, otherwise from the requested calls', () => {
    const errors = [ErrorInfo.of(new Error('x'))];
    expect(AgentStep.type(finalStep('x'))).toBe('final-response');
    expect(AgentStep.type(toolStep())).toBe('tool-execution');
    expect(AgentStep.type({ ...finalStep('x'), errors })).toBe('error');
    expect(AgentStep.type({ ...toolStep(), errors })).toBe('error');
    const [failed] = toolStep().toolExecutions.map((entry) => ({ ...entry, error: errors[0]! }));
    expect(AgentStep.type({ ...toolStep(), toolExecutions: [failed!] })).toBe('error');
  });

  it('17 counts before and after it is archived, and stays the same object', () => {
    const state = AgentState.withCurrentStep(AgentState.create(), finalStep('x'));
    expect(AgentState.stepCount(state)).toBe(1);
    const done = AgentState.withCurrentStepCompleted(state);
    expect(AgentState.stepCount(done)).toBe(1);
    expect(AgentState.currentStep(done)).toBe(null);
    expect(AgentState.lastStep(done)).toBe(AgentState.currentStep(state));
  });

  it('18 completing a missing step leaves the state identical', async () => {
    const idle = AgentState.create();
    expect(AgentState.withCurrentStepCompleted(idle)).toBe(idle);
    const { state } = await expectRun([final()]).toEnd('completed', 'completed');
    expect(AgentState.withCurrentStepCompleted(state)).toBe(state);
  });
});

describe('of all steps', () => {
  it('20 the usage is added up, that of the current one included', () => {
    const two = archived(finalStep('b', 4), archived(finalStep('a', 3)));
    expect(AgentState.usage(two).totalTokens).toBe(7);
    expect(AgentState.usage(AgentState.withCurrentStep(two, finalStep('c', 5))).totalTokens).toBe(12);
  });

  it('21 the errors are listed, those of the current step before the archived ones', () => {
    const [e1, e2] = ['1', '2'].map((message) => ErrorInfo.of(new Error(message))) as [never, never];
    const first = archived(AgentStep.of({ errors: [e1] }));
    const state = AgentState.withCurrentStep(first, AgentStep.of({ errors: [e2] }));
    expect(AgentState.errors(state)).toEqual([e2, e1]);
    expect(AgentState.hasErrors(state)).toBe(true);
  });
});

describe('the final response', () => {
  it.each([
    ['22 is the text of a final step', finalStep('Final answer'), 'Final answer', 'Final answer'],
    ['23 is not the text beside a call, which is the current response', toolStep('Wait'), '', 'Wait'],
    ['24 is not white space', finalStep(' \n\t'), '', ' \n\t'],
  ])('%s', (_title, step, text, current) => {
    const state = AgentState.withExecutionCompleted(AgentState.withCurrentStep(AgentState.create(), step));
    expect(AgentState.hasFinalResponse(state)).toBe(text !== '');
    expect(AgentState.finalResponse(state)).toBe(text);
    expect(AgentState.currentResponse(state)).toBe(current);
  });
});

describe('the time of an execution', () => {
  const takes = (env: ReturnType<typeof fixedEnv>, ms: number, seen: unknown[] = []) =>
    defineHook({
      name: 'takes',
      on: 'before-inference',
      run(state) {
        const before = AgentState.executionDuration(state, env);
        env.advance(ms);
        seen.push([before, AgentState.executionDuration(state, env), state.execution?.completedAt]);
        return state;
      },
    });

  it('28 the time of an execution grows while it runs, over all its steps, and it is not completed', async () => {
    const env = fixedEnv();
    const seen: unknown[] = [];
    const agent = scripted([call(), final()], { hooks: [takes(env, 30, seen)] });
    await createAgentLoop(agent, { env }).execute(asked(env));
    expect(seen).toEqual([
      [0, 30, null],
      [30, 60, null],
    ]);
  });

  it('29 the time of an execution is kept to the millisecond when it has ended', async () => {
    const env = fixedEnv();
    const { state } = await expectRun(
      [final('x', { usage: u(1) })],
      { hooks: [takes(env, 50)] },
      { env, state: asked(env) },
    ).toEnd('completed', 'completed');
    env.advance(1000);
    expect(AgentState.executionDuration(state, env)).toBe(50);
    expect(state.execution!.completedAt! - state.execution!.startedAt).toBe(50);
    expect(AgentState.stepExecutions(state)[0]?.durationMs).toBe(50);
  });
});
