import { describe, expect, it } from 'vitest';
import * as AgentStep from '../agent-step.ts';
import { fromJSON, toJSON } from '../document/agent-state.ts';
import { systemEnv } from '../env.ts';
import { append, section } from '../message-store.ts';
import { assistant, text, user } from '../message.ts';
import { ofCall } from '../tool-execution.ts';
import type { AgentState, SentRequest } from '../types.ts';
import { errors, hasErrors, messages } from './accessors.ts';
import {
  forNextExecution,
  withMessages,
  withMessageStore,
  withSystemPrompt,
  withUserMessage,
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
  withCurrentStep,
  withCurrentStepCompleted,
} from './transitions.ts';
import { create } from './create.ts';
import { rememberedDecision, withRemembered, rememberedDecisions, withoutDecisions } from './remembered.ts';

const sent = (id: string): SentRequest => ({
  inferenceId: 'i',
  model: null,
  settings: {},
  toolChoice: 'auto',
  prompt: '',
  tools: '',
  responseFormat: null,
  messages: [{ section: 'messages', first: id, last: id, count: 1 }],
  extra: [],
  omitted: [],
});
const withTrace = (state: AgentState): AgentState =>
  withMessageStore(state, append(state.context.store, [user('trace')], 'execution_buffer'));
const trace = (state: AgentState): readonly unknown[] => section(state.context.store, 'execution_buffer');

describe('a transition of a state', () => {
  it('a transition makes no state older than the one before, also when the clock was set back', () => {
    const state = create({}, { ...systemEnv, now: () => 1000 });
    expect(withSystemPrompt(state, 'Be brief.', { ...systemEnv, now: () => 500 }).updatedAt).toBe(1000);
  });

  it('a transition returns the same state when the execution already has that status or has ended', () => {
    const pending = withExecutionStatus(create(), 'pending');
    expect(withExecutionStatus(pending, 'pending')).toBe(pending);
    const ended = withExecutionStatus(pending, 'stopped');
    expect(withExecutionCompleted(ended)).toBe(ended);
  });

  it('a transition counts the execution that it creates for an idle state', () => {
    expect(withFailure(create(), new Error('x')).executionCount).toBe(1);
  });

  it('a transition removes the end time of an execution that continues', () => {
    const ended = withExecutionStatus(create(), 'completed');
    expect(ended.execution?.completedAt).not.toBeNull();
    expect(withExecutionStatus(ended, 'in-progress').execution?.completedAt).toBeNull();
  });
});

describe('changes of messages', () => {
  it('a change of messages clears the trace of a finished run, and keeps that of one in progress', () => {
    expect(trace(withUserMessage(withTrace(create()), 'next'))).toEqual([]);
    const running = withExecutionStatus(withTrace(create()), 'in-progress');
    expect(trace(withUserMessage(running, 'by the way'))).toHaveLength(1);
  });

  it('a change of messages keeps those that a step was sent, also when they are removed', () => {
    const said = withUserMessage(create(), 'one');
    const [first] = messages(said);
    const state = withCurrentStep(said, AgentStep.of({ sent: sent(first?.id ?? '') }));
    const emptied = withMessages(state, []);
    expect(messages(emptied)).toEqual([]);
    const step = emptied.execution?.currentStep;
    expect(step && AgentStep.inputMessages(emptied, step)).toEqual([first]);
    const again = withCurrentStep(
      withCurrentStepCompleted(state),
      AgentStep.of({ sent: sent(first?.id ?? '') }),
    );
    expect(Object.values(withMessages(again, []).retained)).toEqual([first]);
    const { execution, texts, retained } = forNextExecution({ ...emptied, texts: { hash: 'prompt' } });
    expect({ execution, texts, retained }).toEqual({ execution: null, texts: {}, retained: {} });
  });
});

describe('the step in flight', () => {
  it('the step in flight moves to the separate trace when it calls tools', () => {
    const answer = AgentStep.of({ outputMessages: [assistant('Let me see.')] });
    const said = withCurrentStep(create(), answer, undefined, { toolTrace: 'separate' });
    expect([messages(said).length, trace(said).length]).toEqual([1, 0]);
    const call = ofCall({ id: 'c', name: 'look', input: {}, providerCallId: null });
    const called = withCurrentStep(said, { ...answer, toolExecutions: [call] }, undefined, {
      toolTrace: 'separate',
    });
    expect([messages(called).length, trace(called).length]).toEqual([0, 1]);
  });

  it('the step in flight spends the continuation request when it is archived', () => {
    const state = withExecutionContinued(withCurrentStep(create(), AgentStep.of()));
    expect(state.execution?.continuation.isContinuationRequested).toBe(true);
    const archived = withCurrentStepCompleted(state);
    expect(archived.execution?.continuation.isContinuationRequested).toBe(false);
  });
});

describe('a decision remembered for the execution', () => {
  it('a decision for the execution leaves decisions for the session unchanged', () => {
    const idle = create();
    const state = { ...idle, plugins: withRemembered(idle, 'pay', 'rejected', 'session') };
    const running = withExecutionStatus(state, 'in-progress');
    const both = { ...running, plugins: withRemembered(running, 'look', 'approved', 'execution') };
    expect(rememberedDecision(both, 'look')).toBe('approved');
    expect(rememberedDecision(both, 'pay')).toBe('rejected');
    expect(rememberedDecision({ ...both, execution: null }, 'look')).toBeNull();
  });

  it('a decision for the execution is listed until the run ends, and the list stays the same while nothing changes', () => {
    const idle = create();
    const state = { ...idle, plugins: withRemembered(idle, 'pay', 'rejected', 'session') };
    const running = withExecutionStatus(state, 'in-progress');
    const both = { ...running, plugins: withRemembered(running, 'look', 'approved', 'execution') };
    const pay = { toolName: 'pay', decision: 'rejected', scope: 'session' };
    const look = { toolName: 'look', decision: 'approved', scope: 'execution' };
    expect(rememberedDecisions(both)).toEqual([look, pay]);
    expect(rememberedDecisions({ ...both })).toBe(rememberedDecisions(both));
    expect(rememberedDecisions(withExecutionStatus(both, 'completed'))).toEqual([pay]);
    expect(rememberedDecisions(idle)).toEqual([]);
    const other = { ...both, plugins: withRemembered(both, 'pay', 'approved', 'execution') };
    expect(rememberedDecisions(other)).toEqual([look, { ...pay, decision: 'approved', scope: 'execution' }]);
  });

  it('a decision is removed for one tool or for all, and removing an absent one changes nothing', () => {
    const idle = create();
    const one = { ...idle, plugins: withRemembered(idle, 'pay', 'rejected', 'session') };
    const state = { ...one, plugins: withRemembered(one, 'look', 'approved', 'session') };
    expect(rememberedDecisions(withoutDecisions(state, 'pay'))).toEqual([
      { toolName: 'look', decision: 'approved', scope: 'session' },
    ]);
    expect(withoutDecisions(state).plugins).toEqual(idle.plugins);
    expect(withoutDecisions(state, 'other')).toBe(state);
    expect(withoutDecisions(idle)).toBe(idle);
  });
});

it.each(['constructor', 'toString', '__proto__'])(
  'a decision about a tool named %s is remembered',
  (name) => {
    const running = withExecutionStatus(create(), 'in-progress');
    const state = { ...running, plugins: withRemembered(running, name, 'rejected', 'session') };
    const read = fromJSON(JSON.parse(JSON.stringify(toJSON(state))));
    expect([state, read].map((one) => rememberedDecision(one, name))).toEqual(['rejected', 'rejected']);
    expect(rememberedDecision(running, name)).toBeNull();
  },
);

describe('a step that is applied again', () => {
  const told = (state: AgentState): readonly string[] => messages(state).map((message) => text(message));

  it('the same step with new messages replaces those that it had before, in their place', () => {
    const first = AgentStep.of({ outputMessages: [assistant('one'), assistant('two')] });
    const said = withUserMessage(withCurrentStep(withUserMessage(create(), 'Hi'), first), 'More');
    const again = withCurrentStep(said, { ...first, outputMessages: [assistant('three')] });
    expect(told(again)).toEqual(['Hi', 'three', 'More']);
  });

  it('the same step with new messages replaces them also when it becomes a trace', () => {
    const answer = AgentStep.of({ outputMessages: [assistant('one')] });
    const said = withCurrentStep(create(), answer, undefined, { toolTrace: 'separate' });
    const call = ofCall({ id: 'c', name: 'tool', input: {}, providerCallId: null });
    const next = { ...answer, outputMessages: [assistant('two')], toolExecutions: [call] };
    const called = withCurrentStep(said, next, undefined, { toolTrace: 'separate' });
    expect([told(called), trace(called)]).toEqual([[], [expect.objectContaining({ role: 'assistant' })]]);
  });
});

describe('hasErrors', () => {
  const failed = { name: 'Error', message: 'x', code: null, data: {}, cause: null };
  const call = ofCall({ id: 'c', name: 'tool', input: {}, providerCallId: null });

  it('hasErrors is true for a state whose step has only a failed call, in flight and archived', () => {
    const step = AgentStep.of({ toolExecutions: [{ ...call, status: 'failed', error: failed }] });
    const state = withCurrentStep(create(), step);
    expect(hasErrors(state)).toBe(true);
    expect(hasErrors(withCurrentStepCompleted(state))).toBe(true);
  });

  it('errors has the error of a failed call once, also when the step has it too, in flight and archived', () => {
    const made = { ...call, status: 'failed' as const, error: failed };
    for (const own of [[], [failed]]) {
      const calls = [made, { ...made, id: 'd' }];
      const state = withCurrentStep(create(), AgentStep.of({ toolExecutions: calls, errors: own }));
      expect(errors(state)).toEqual([failed, failed]);
      expect(errors(state)).toBe(errors(state));
      expect(errors(withCurrentStepCompleted(state))).toEqual([failed, failed]);
    }
  });

  it('hasErrors is false for a state whose calls went well, and null before the first run', () => {
    const state = withCurrentStep(create(), AgentStep.of({ toolExecutions: [call] }));
    expect([hasErrors(state), hasErrors(create())]).toEqual([false, null]);
  });
});
