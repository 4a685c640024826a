import { AgentState, AgentStep, Id, Message, StopSignal, ToolExecution, Usage } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { call, expectRun, final, fixedEnv, u } from './fixtures.ts';

describe('ids', () => {
  it('1 ids are unique UUIDs in every new state, which has not run', () => {
    const states = [AgentState.create(), AgentState.create()];
    expect(states[0]?.agentId).not.toBe(states[1]?.agentId);
    for (const state of states) {
      expect(Id.of(state.agentId)).toBe(state.agentId);
      expect(state).toMatchObject({ parentAgentId: null, executionCount: 0, execution: null });
      expect(state.updatedAt).toBe(state.createdAt);
    }
  });

  it('2 ids that are no UUIDs are refused everywhere; upper case is accepted', async () => {
    expect(() => Id.of('abc')).toThrow(expect.objectContaining({ code: 'id-invalid' }));
    for (const init of [{ agentId: 'abc' }, { parentAgentId: 'abc' }])
      expect(() => AgentState.create(init)).toThrow(expect.objectContaining({ code: 'id-invalid' }));
    const upper = '01A1FB5B-F818-731C-853C-056649F2F8CB';
    expect([Id.of(upper), AgentState.create({ agentId: upper }).agentId]).toEqual([upper, upper]);
    const { state } = await expectRun([call(), final()]).toEnd('completed', 'completed');
    const [step] = AgentState.steps(state);
    const ids = [state.agentId, state.execution?.executionId, step?.id, step?.toolExecutions[0]?.id];
    const text = JSON.stringify(AgentState.toJSON(state));
    for (const id of ids as string[]) {
      const read = (other: string): AgentState => AgentState.fromJSON(JSON.parse(text.replaceAll(id, other)));
      expect(() => read('abc'), id).toThrow(expect.objectContaining({ code: 'state-invalid' }));
      expect(JSON.stringify(AgentState.toJSON(read(id.toUpperCase()))), id).toContain(id.toUpperCase());
    }
  });
});

describe('a state', () => {
  it('3 a state keeps createdAt and raises updatedAt when messages are replaced; the old one is unchanged', () => {
    const env = fixedEnv(Date.UTC(2026, 0, 1));
    const created = AgentState.create({}, env);
    env.advance(3_600_000);
    const old = AgentState.withUserMessage(created, 'Hello', env);
    expect(old.updatedAt).toBe(Date.UTC(2026, 0, 1, 1));
    const before = structuredClone(old);
    env.advance(1);
    const next = AgentState.withMessages(old, [Message.user('Other', {}, env)], env);
    expect(next.createdAt).toBe(Date.UTC(2026, 0, 1));
    expect(next.updatedAt).toBeGreaterThan(old.updatedAt);
    expect(AgentState.messages(next).map(Message.text)).toEqual(['Other']);
    expect(old).toEqual(before);
  });

  it('4 a state takes a message of the user into its default section, without an execution', () => {
    const state = AgentState.withUserMessage(AgentState.create(), 'Hello');
    expect(AgentState.messages(state)).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    ]);
    expect(state.execution).toBe(null);
  });

  it('5 a state forgets its execution for the next one, and keeps the session', async () => {
    const started = AgentState.withUserMessage(AgentState.create({ systemPrompt: 'P' }), 'Hello');
    const { state } = await expectRun([final('x', { usage: u(3) })], {}, { state: started }).toEnd(
      'completed',
      'completed',
      { steps: 1, tokens: 3 },
    );
    const next = AgentState.forNextExecution(state);
    expect([AgentState.status(next), AgentState.stepCount(next), AgentState.currentStep(next)]).toEqual([
      null,
      0,
      null,
    ]);
    expect(AgentState.usage(next)).toEqual(Usage.none());
    expect(next.context.systemPrompt).toBe('P');
    expect(AgentState.messages(next)).toEqual(AgentState.messages(state));
    expect(AgentState.messages(next)).toHaveLength(2);
    expect(next.executionCount).toBe(1);
  });

  it('7 a new state should stop, and has nothing to report', () => {
    const state = AgentState.create();
    expect(AgentState.shouldStop(state)).toBe(true);
    expect(AgentState.hasErrors(state)).toBe(null);
    expect(AgentState.errors(state)).toEqual([]);
    expect(AgentState.usage(state).totalTokens).toBe(0);
    expect(AgentState.stopReason(state)).toBe(null);
  });

  it('9 an idle state does not run when a stop signal is added', () => {
    const state = AgentState.withStopSignal(AgentState.create(), StopSignal.userRequested());
    expect(AgentState.status(state)).toBe('pending');
    expect(AgentState.stopReason(state)).toBe('user-requested');
    expect(AgentState.shouldStop(state)).toBe(true);
  });

  it('10 a state loses its model configuration when it is set to null, and no other way', () => {
    const state = AgentState.create({ llmConfig: { model: 'm', settings: { temperature: 0 } } });
    expect(AgentState.withLlmConfig(state, null).llmConfig).toBe(null);
    const others = [
      AgentState.withSystemPrompt(state, 'x'),
      AgentState.withMetadata(state, { a: 1 }),
      AgentState.withUserMessage(state, 'x'),
    ];
    for (const other of others) expect(other.llmConfig).toBe(state.llmConfig);
    expect(state.llmConfig).toEqual({ model: 'm', settings: { temperature: 0 } });
  });

  it('12 a state may complete without any step', () => {
    const state = AgentState.withExecutionCompleted(AgentState.create());
    expect([AgentState.status(state), AgentState.stepCount(state)]).toEqual(['completed', 0]);
  });

  it('13 a state is summed up by debug', async () => {
    const { state } = await expectRun([final('x', { usage: u(2) })]).toEnd('completed', 'completed');
    expect(AgentState.debug(state)).toEqual({
      status: 'completed',
      executionCount: 1,
      hasExecution: true,
      executionId: state.execution?.executionId,
      steps: 1,
      continuation: 'Stop Signals: completed: The model gave its final answer; Continuation Requested: No',
      hasErrors: false,
      errors: [],
      usage: Usage.of({ inputTokens: 2 }),
    });
  });
});

describe('a step and a call made by hand', () => {
  it('2 a step and a call made by hand get ids that a document accepts', () => {
    expect(Id.of(AgentStep.of().id)).toBeTruthy();
    const id = Id.create();
    const made = ToolExecution.ofCall({ id, name: 'ok', input: {}, providerCallId: null });
    expect(ToolExecution.fromJSON(JSON.parse(JSON.stringify(ToolExecution.toJSON(made))))).toEqual(made);
    const named = { ...made, id: 'abc', toolCall: { ...made.toolCall, id: 'abc' } };
    expect(() => ToolExecution.fromJSON(ToolExecution.toJSON(named))).toThrow(/UUID/);
  });
});
