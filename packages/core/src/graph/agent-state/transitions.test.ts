import { describe, expect, it } from 'vitest';
import * as AgentStep from '../agent-step.ts';
import { agentStateCodec } from '../document/codecs.ts';
import { systemEnv } from '../env.ts';
import { append, section } from '../message-store.ts';
import { assistant, user } from '../message.ts';
import { requested } from '../tool-execution.ts';
import type { AgentState, SentRequest } from '../types.ts';
import { messages } from './accessors.ts';
import {
  forNextExecution,
  withMessages,
  withMessageStore,
  withSystemPrompt,
  withUserMessage,
} from './context-transitions.ts';
import { create } from './create.ts';
import {
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
} from './execution-transitions.ts';
import { rememberedDecision, withRemembered } from './remembered.ts';
import { rememberedDecisions, withoutDecisions } from './remembered-decisions.ts';
import { withCurrentStep, withCurrentStepCompleted } from './step-transitions.ts';

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

describe('a transition', () => {
  it('makes no state older than the one before, also when the clock was set back', () => {
    const state = create({}, { ...systemEnv, now: () => 1000 });
    expect(withSystemPrompt(state, 'Be brief.', { ...systemEnv, now: () => 500 }).updatedAt).toBe(1000);
  });

  it('gives the same state back when an execution has that status, or its end, already', () => {
    const pending = withExecutionStatus(create(), 'pending');
    expect(withExecutionStatus(pending, 'pending')).toBe(pending);
    const ended = withExecutionStatus(pending, 'stopped');
    expect(withExecutionCompleted(ended)).toBe(ended);
  });

  it('counts the execution that it makes for an idle state', () => {
    expect(withFailure(create(), new Error('x')).executionCount).toBe(1);
  });

  it('takes the time of its end from an execution that goes on', () => {
    const ended = withExecutionStatus(create(), 'completed');
    expect(ended.execution?.completedAt).not.toBeNull();
    expect(withExecutionStatus(ended, 'in-progress').execution?.completedAt).toBeNull();
  });
});

describe('messages that change', () => {
  it('clear the trace of a run that is over, and leave that of one in progress', () => {
    expect(trace(withUserMessage(withTrace(create()), 'next'))).toEqual([]);
    const running = withExecutionStatus(withTrace(create()), 'in-progress');
    expect(trace(withUserMessage(running, 'by the way'))).toHaveLength(1);
  });

  it('leave readable what a step was sent, also when they are removed', () => {
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

describe('a step in flight', () => {
  it('moves to the separate trace when it turns out to call tools', () => {
    const answer = AgentStep.of({ outputMessages: [assistant('Let me see.')] });
    const said = withCurrentStep(create(), answer, undefined, { toolTrace: 'separate' });
    expect([messages(said).length, trace(said).length]).toEqual([1, 0]);
    const call = requested({ id: 'c', name: 'look', input: {}, providerCallId: null });
    const called = withCurrentStep(said, { ...answer, toolExecutions: [call] }, undefined, {
      toolTrace: 'separate',
    });
    expect([messages(called).length, trace(called).length]).toEqual([0, 1]);
  });

  it('spends the request to go on when it is archived', () => {
    const state = withExecutionContinued(withCurrentStep(create(), AgentStep.of()));
    expect(state.execution?.continuation.isContinuationRequested).toBe(true);
    const archived = withCurrentStepCompleted(state);
    expect(archived.execution?.continuation.isContinuationRequested).toBe(false);
  });
});

describe('a decision that is remembered for the execution', () => {
  it('leaves those for the session as they are', () => {
    const idle = create();
    const state = { ...idle, plugins: withRemembered(idle, 'pay', 'rejected', 'session') };
    const running = withExecutionStatus(state, 'in-progress');
    const both = { ...running, plugins: withRemembered(running, 'look', 'approved', 'execution') };
    expect(rememberedDecision(both, 'look')).toBe('approved');
    expect(rememberedDecision(both, 'pay')).toBe('rejected');
    expect(rememberedDecision({ ...both, execution: null }, 'look')).toBeNull();
  });

  it('is listed beside those for the session until the run has ended, the same list as long as nothing changes', () => {
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

  it('is taken back for one tool or for all, and what was not remembered changes nothing', () => {
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
    const read = agentStateCodec.fromJSON(JSON.parse(JSON.stringify(agentStateCodec.toJSON(state))));
    expect([state, read].map((one) => rememberedDecision(one, name))).toEqual(['rejected', 'rejected']);
    expect(rememberedDecision(running, name)).toBeNull();
  },
);
