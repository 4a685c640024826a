import { describe, expect, it } from 'vitest';
import * as StopSignal from '../stop-signal.ts';
import * as AgentState from '../../faces/agent-state.ts';
import * as AgentStep from '../agent-step.ts';
import { requested } from '../tool-execution.ts';
import { errorInfo } from '../error-info.ts';
import * as Usage from '../usage.ts';
import * as Message from '../message.ts';
import * as Id from '../id.ts';
import { fixedEnv } from '../../testing/fixtures.ts';
import type { AgentStep as Step } from '../types.ts';

const response = (tokens: number): Step['inferenceResponse'] => ({
  id: null,
  model: null,
  finishReason: 'stop',
  usage: Usage.of({ inputTokens: tokens }),
  durationMs: 1,
  firstDeltaMs: null,
});
const finalStep = (text: string, tokens = 0): Step =>
  AgentStep.of({ outputMessages: [Message.assistant(text)], inferenceResponse: response(tokens) });
const toolStep = (text = ''): Step =>
  AgentStep.of({
    outputMessages: [Message.assistant(text)],
    toolExecutions: [requested({ id: 'c1', name: 'ok', input: {}, providerCallId: null })],
    inferenceResponse: response(0),
  });
const archived = (step: Step, state = AgentState.create()): ReturnType<typeof AgentState.create> =>
  AgentState.withCurrentStepCompleted(AgentState.withCurrentStep(state, step));

describe('a new state', () => {
  it('case 1: has ids of its own and no execution', () => {
    const [a, b] = [AgentState.create(), AgentState.create()];
    expect(Id.of(a.agentId)).toBe(a.agentId);
    expect(a.agentId).not.toBe(b.agentId);
    expect(a).toMatchObject({
      parentAgentId: null,
      executionCount: 0,
      execution: null,
      updatedAt: a.createdAt,
    });
  });

  it('case 2: refuses ids that are not UUIDs and takes upper case', () => {
    expect(() => AgentState.create({ agentId: 'abc' })).toThrow(/not a UUID/);
    expect(Id.of('01A1FB5B-F818-731C-853C-056649F2F8CB')).toMatch(/^01A1/);
  });

  it('case 7: should stop and has nothing to report', () => {
    const state = AgentState.create();
    expect(AgentState.shouldStop(state)).toBe(true);
    expect(AgentState.hasErrors(state)).toBeNull();
    expect(AgentState.errors(state)).toEqual([]);
    expect(AgentState.usage(state).totalTokens).toBe(0);
    expect(AgentState.stopReason(state)).toBeNull();
  });
});

describe('transitions', () => {
  it('case 3: raise updatedAt and leave the old state alone', () => {
    const env = fixedEnv();
    const old = AgentState.create({}, env);
    env.advance(3_600_000);
    const next = AgentState.withMessages(old, [Message.user('Hi', {}, env)], env);
    expect(next.createdAt).toBe(old.createdAt);
    expect(next.updatedAt).toBeGreaterThan(old.updatedAt);
    expect(AgentState.messages(old)).toEqual([]);
  });

  it('case 4: add a user message without an execution', () => {
    const state = AgentState.withUserMessage(AgentState.create(), 'Hello');
    expect(AgentState.messages(state).map(Message.text)).toEqual(['Hello']);
    expect(state.execution).toBeNull();
  });

  it('case 5: forget the execution and keep the session', () => {
    const asked = AgentState.withUserMessage(AgentState.create({ systemPrompt: 'P' }), 'Hello');
    const done = AgentState.withExecutionCompleted(
      archived(AgentStep.of({ inferenceResponse: response(3) }), asked),
    );
    const next = AgentState.forNextExecution(done);
    expect(AgentState.status(next)).toBeNull();
    expect(AgentState.stepCount(next)).toBe(0);
    expect(AgentState.usage(next).totalTokens).toBe(0);
    expect(next.context.systemPrompt).toBe('P');
    expect(AgentState.messages(next)).toBe(AgentState.messages(done));
    expect(next.executionCount).toBe(done.executionCount);
  });

  it('case 9: on an idle state make a pending execution, which is not running', () => {
    const state = AgentState.withStopSignal(AgentState.create(), StopSignal.userRequested());
    expect(AgentState.status(state)).toBe('pending');
    expect(AgentState.status(AgentState.withFailure(AgentState.create(), new Error('x')))).toBe('pending');
  });

  it('case 10: set the configuration to null when told so', () => {
    const state = AgentState.create({ llmConfig: { model: 'm', settings: {} } });
    expect(AgentState.withLlmConfig(state, null).llmConfig).toBeNull();
    expect(AgentState.withSystemPrompt(state, 'x').llmConfig).toBe(state.llmConfig);
  });

  it('case 12: complete an idle state without any step', () => {
    const state = AgentState.withExecutionCompleted(AgentState.create());
    expect(AgentState.status(state)).toBe('completed');
    expect(AgentState.stepCount(state)).toBe(0);
  });

  it('case 18: give the same state back when there is no step to complete', () => {
    const state = AgentState.create();
    expect(AgentState.withCurrentStepCompleted(state)).toBe(state);
    expect(AgentState.withMetadata(state, {})).toBe(state);
    expect(AgentState.withSystemPrompt(state, '')).toBe(state);
  });

  it('case 131: leave the context alone for a step without messages', () => {
    const state = AgentState.create();
    expect(AgentState.withCurrentStep(state, AgentStep.of()).context).toBe(state.context);
  });

  it('freeze what they make in development', () => {
    const state = AgentState.withMetadata(AgentState.create(), { a: { b: 1 } });
    expect(Object.isFrozen(state.context.metadata['a'])).toBe(true);
  });
});

describe('steps', () => {
  it('case 14: have their type from errors, requested calls, or neither', () => {
    expect(AgentStep.type(finalStep('x'))).toBe('final-response');
    expect(AgentStep.type(toolStep())).toBe('tool-execution');
    expect(AgentStep.type({ ...toolStep(), errors: [errorInfo(new Error('x'))] })).toBe('error');
  });

  it('case 17: count before and after they are archived', () => {
    const state = AgentState.withCurrentStep(AgentState.create(), finalStep('x'));
    expect(AgentState.stepCount(state)).toBe(1);
    const done = AgentState.withCurrentStepCompleted(state);
    expect(AgentState.stepCount(done)).toBe(1);
    expect(AgentState.currentStep(done)).toBeNull();
    expect(AgentState.lastStep(done)).toBe(AgentState.currentStep(state));
  });

  it('case 20: add their usage up, the one in flight included', () => {
    const two = archived(finalStep('b', 4), archived(finalStep('a', 3)));
    expect(AgentState.usage(AgentState.withCurrentStep(two, finalStep('c', 5))).totalTokens).toBe(12);
  });

  it('case 21: list the errors of the step in flight before the archived ones', () => {
    const [e1, e2] = [errorInfo(new Error('1')), errorInfo(new Error('2'))];
    const state = AgentState.withCurrentStep(
      archived(AgentStep.of({ errors: [e1] })),
      AgentStep.of({ errors: [e2] }),
    );
    expect(AgentState.errors(state)).toEqual([e2, e1]);
    expect(AgentState.hasErrors(state)).toBe(true);
  });

  it.each([
    [
      'case 22: an answer is the final response',
      finalStep('Final answer'),
      true,
      'Final answer',
      'Final answer',
    ],
    ['case 23: text beside tool calls is not', toolStep('Wait'), false, '', 'Wait'],
    ['case 24: white space is not', finalStep('  \n'), false, '', '  \n'],
  ])('%s', (_title, step, has, final, current) => {
    const state = archived(step);
    expect(AgentState.hasFinalResponse(state)).toBe(has);
    expect(AgentState.finalResponse(state)).toBe(final);
    expect(AgentState.currentResponse(state)).toBe(current);
  });

  it('case 28 and 29: measure the execution while it runs and after it', () => {
    const env = fixedEnv();
    const running = AgentState.withExecutionStatus(AgentState.create({}, env), 'in-progress', env);
    env.advance(30);
    expect(AgentState.executionDuration(running, env)).toBe(30);
    env.advance(20);
    expect(AgentState.executionDuration(running, env)).toBe(50);
    expect(AgentState.executionDuration(AgentState.withExecutionCompleted(running, env), env)).toBe(50);
  });

  it('case 129 and 130: tag their messages, traces only as traces', () => {
    const trace = AgentState.messages(archived(toolStep()))[0];
    const answer = AgentState.messages(archived(finalStep('x')))[0];
    expect(trace?.metadata).toMatchObject({
      is_trace: true,
      step_id: expect.any(String),
      execution_id: expect.any(String),
      agent_id: expect.any(String),
    });
    expect(answer?.metadata).not.toHaveProperty('is_trace');
  });

  it('replace, never duplicate, when the same step is applied again', () => {
    const step = finalStep('a');
    const once = AgentState.withCurrentStep(AgentState.create(), step);
    const current = AgentState.currentStep(once);
    const twice = AgentState.withCurrentStep(once, {
      ...step,
      outputMessages: current?.outputMessages ?? [],
    });
    expect(AgentState.messages(twice)).toHaveLength(1);
  });
});

describe('stop signals', () => {
  const signal = StopSignal.of;

  it('case 38: a later signal of higher priority decides', () => {
    const step = AgentState.withCurrentStep(AgentState.create(), finalStep('x'));
    const done = AgentState.withCurrentStepCompleted(AgentState.withStopSignal(step, signal('completed')));
    const ended = AgentState.withExecutionCompleted(
      AgentState.withStopSignal(
        done,
        signal('user-requested', { message: 'cancelled before next step', source: 'later' }),
      ),
    );
    expect([AgentState.status(ended), AgentState.stopReason(ended), AgentState.stopSource(ended)]).toEqual([
      'stopped',
      'user-requested',
      'later',
    ]);
  });

  it('case 40: the highest decides the status; a finish reason is a natural end', () => {
    const both = AgentState.withStopSignal(
      AgentState.withStopSignal(AgentState.create(), signal('completed')),
      signal('user-requested'),
    );
    expect(AgentState.status(AgentState.withExecutionCompleted(both))).toBe('stopped');
    const finished = AgentState.withExecutionCompleted(
      AgentState.withStopSignal(AgentState.create(), signal('finish-reason-received')),
    );
    expect([AgentState.status(finished), AgentState.stopReason(finished)]).toEqual([
      'completed',
      'finish-reason-received',
    ]);
  });
});

describe('accessors', () => {
  it('give the same reference for the same state', () => {
    const state = AgentState.withCurrentStep(archived(toolStep()), finalStep('x'));
    const skipped = new Set(['create', 'toJSON', 'fromJSON', 'executionDuration']);
    for (const [name, accessor] of Object.entries(AgentState)) {
      if (
        name.startsWith('with') ||
        name.startsWith('for') ||
        skipped.has(name) ||
        typeof accessor !== 'function'
      )
        continue;
      const select = accessor as (state: unknown) => unknown;
      expect(select(state), name).toBe(select(state));
    }
  });
});
