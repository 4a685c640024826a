import { describe, expect, it } from 'vitest';
import * as AgentState from '../../run/agent-state.ts';
import * as AgentStep from '../agent-step.ts';
import { assistant, user } from '../message.ts';
import { ofCall } from '../tool-execution.ts';
import type { AgentState as State } from '../types.ts';
import * as Usage from '../usage.ts';

const id = '00000000-0000-7000-8000-000000000001';
const read = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));

function stateWith(fields: object): State {
  const state = AgentState.withExecutionStatus(AgentState.create(), 'in-progress');
  return { ...state, execution: { ...state.execution, ...fields } as State['execution'] };
}

describe('rare fields of a stored state', () => {
  it('a stored state keeps its parent', () => {
    expect(read(AgentState.create({ parentAgentId: id })).parentAgentId).toBe(id);
  });

  it('a stored state keeps its waited time, and the start of the current wait', () => {
    const { execution } = read(stateWith({ waitedMs: 1200, waitingSince: 5000 }));
    expect(execution).toMatchObject({ waitedMs: 1200, waitingSince: 5000 });
  });

  it('a stored state keeps that a call was free, which differs from an unknown price', () => {
    const usage = Usage.of({ inputTokens: 1, cost: 0 });
    const response = {
      id: null,
      model: null,
      finishReason: 'stop',
      durationMs: 1,
      firstDeltaMs: null,
    } as const;
    const currentStep = AgentStep.of({ inferenceResponse: { ...response, usage } });
    expect(AgentState.usage(read(stateWith({ currentStep }))).cost).toBe(0);
  });

  it("a stored state keeps that an approved call was edited and who approved it, and a result that differs from the model's view", () => {
    const call = ofCall({ id, name: 'pay', input: {}, providerCallId: null });
    const approval = {
      reason: null,
      cause: 'not-stored',
      decision: 'approved',
      comment: null,
      isEdited: true,
      by: 'ben',
    } as const;
    const told = { type: 'tool-result', toolCallId: id, toolName: 'pay', output: 'told' } as const;
    const message = {
      ...user(''),
      role: 'tool' as const,
      parts: [{ ...told, outcome: 'completed' as const, durationMs: null }],
    };
    const done = { ...call, status: 'completed' as const, result: 'real', approval };
    const currentStep = AgentStep.of({ outputMessages: [message], toolExecutions: [done] });
    const calls = read(stateWith({ currentStep })).execution?.currentStep?.toolExecutions;
    expect(calls).toMatchObject([{ result: 'real', approval: { isEdited: true, by: 'ben' } }]);
  });

  it('a stored state keeps both versions of a message that was changed under its id', () => {
    const said = assistant('first');
    const state = AgentState.withMessages(AgentState.create(), [
      { ...said, parts: [{ type: 'text', text: 'now' }] },
    ]);
    const currentStep = AgentStep.of({ outputMessages: [said] });
    const pending = AgentState.withExecutionStatus(state, 'in-progress');
    const back = read({ ...pending, execution: { ...pending.execution, currentStep } as State['execution'] });
    expect(back.execution?.currentStep?.outputMessages).toMatchObject([{ parts: [{ text: 'first' }] }]);
    expect(AgentState.messages(back)).toMatchObject([{ parts: [{ text: 'now' }] }]);
  });

  it('a stored state that refers to an absent message is rejected with its path', () => {
    const document = AgentState.toJSON(AgentState.withMessages(AgentState.create(), [user('one')]));
    expect(() => AgentState.fromJSON({ ...document, messages: [] })).toThrow(
      expect.objectContaining({
        code: 'state-invalid',
        message: expect.stringMatching(/sections.*message 0 of 0/),
      }),
    );
  });

  it('a stored state is rejected under the name of another kind', () => {
    const document = { ...AgentState.toJSON(AgentState.create()), $schema: 'vitrine/agent-step' };
    expect(() => AgentState.fromJSON(document)).toThrow(expect.objectContaining({ code: 'state-invalid' }));
  });
});
