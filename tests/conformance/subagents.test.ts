import {
  AgentState,
  eventAddress,
  ExecutionBudget,
  type InferenceRequest,
  Message,
  Tool,
} from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import {
  call,
  delegate,
  expectRun,
  fakeTool,
  final,
  scripted,
  throws,
  u,
  type ScriptedEntry,
} from './fixtures.ts';

const child = (script: readonly ScriptedEntry[], init: Parameters<typeof scripted>[1] = {}) =>
  scripted(script, { name: 'child', systemPrompt: 'You are the child.', ...init });
const execution = (state: AgentState) => AgentState.steps(state)[0]?.toolExecutions[0];

describe('a subagent', () => {
  it('139 a subagent answers its parent with its final text, and nothing else of it', async () => {
    const kid = child([call('ok', {}, { text: 'Inner thoughts' }), final('I found 3 issues')]);
    const { state, requests } = await expectRun([delegate('child'), final()], { subagents: [kid] }).toEnd(
      'completed',
      'completed',
    );
    expect(execution(state)?.result).toBe('I found 3 issues');
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      parts: [{ type: 'tool-result', output: 'I found 3 issues', outcome: 'completed' }],
    });
    const text = JSON.stringify([AgentState.messages(state), requests[1]?.messages]);
    for (const inner of ['You are the child.', 'Inner thoughts', '"ok"']) expect(text).not.toContain(inner);
    expect(AgentState.messages(execution(state)!.childState!).map(Message.text)).toContain('Inner thoughts');
  });

  it('140 a subagent is its own agent, which starts with its prompt and its task only', async () => {
    const asked: InferenceRequest[] = [];
    const kid = child([(request) => (asked.push(request), final('x'))]);
    const { state, events } = await expectRun([delegate('child'), final()], { subagents: [kid] }).toEnd(
      'completed',
      'completed',
    );
    const { childState } = execution(state)!;
    expect(childState).toMatchObject({ parentAgentId: state.agentId, executionCount: 1 });
    expect(childState?.agentId).not.toBe(state.agentId);
    const start = events.find((event) => event.type === 'subagent-start');
    expect(start?.child.context.systemPrompt).toBe('You are the child.');
    expect(AgentState.messages(start!.child)).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'Look it up' }] },
    ]);
    expect(asked[0]?.messages.map(({ role, parts }) => [role, parts])).toMatchObject([
      ['system', [{ text: 'You are the child.' }]],
      ['user', [{ text: 'Look it up' }]],
    ]);
  });

  it('141 an unknown subagent is a failure that names it, and the parent goes on', async () => {
    const { state } = await expectRun([delegate('nobody'), final()], { subagents: [child([final()])] }).toEnd(
      'completed',
      'completed',
      { steps: 2 },
    );
    expect(execution(state)).toMatchObject({ status: 'failed', childState: null });
    expect(execution(state)?.error?.message).toMatch(/"nobody".*child/);
  });

  it('144 a subagent gets the tools that the filter lets through: allow first, then deny', async () => {
    const tools = ['a', 'b', 'c'].map((name) => fakeTool(name, name));
    const lent = async (inheritTools: Parameters<typeof Tool.filter>[1]): Promise<string[]> => {
      const asked: InferenceRequest[] = [];
      const kid = child([(request) => (asked.push(request), final('x'))], { tools: [] });
      await expectRun([delegate('child'), final()], {
        tools,
        subagents: [{ agent: kid, inheritTools }],
      }).toEnd('completed', 'completed');
      const names = asked[0]?.tools.map(({ name }) => name) ?? [];
      expect(Tool.filter(tools, inheritTools).map(({ name }) => name)).toEqual(names);
      return names;
    };
    expect(await lent({ allow: ['a', 'b'], deny: ['b'] })).toEqual(['a']);
    expect(await lent({ allow: null })).toEqual(['a', 'b', 'c']);
    expect(await lent({ deny: ['a'] })).toEqual(['b', 'c']);
  });

  it('145 a subagent that fails is a failure with its name and its own error', async () => {
    const { state } = await expectRun([delegate('child'), final()], {
      subagents: [child([throws('no disk')])],
    }).toEnd('completed', 'completed', { steps: 2 });
    expect(execution(state)).toMatchObject({ status: 'failed', error: { code: 'subagent-failed' } });
    expect(execution(state)?.error?.message).toMatch(/"child".*no disk/);
  });

  it('146 a subagent that its own limit stopped says so, and why', async () => {
    const kid = child([call()], { budget: { maxSteps: 1 } });
    const { state, requests } = await expectRun([delegate('child'), final()], { subagents: [kid] }).toEnd(
      'completed',
      'completed',
    );
    expect(execution(state)?.error?.message).toMatch(/"child" was stopped: steps-limit-reached/);
    expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([
      { outcome: 'failed', output: expect.stringContaining('was stopped: steps-limit-reached') },
    ]);
    expect(AgentState.stepCount(execution(state)!.childState!)).toBe(1);
  });

  it('149 a subagent keeps its own limit below a parent without any', async () => {
    const { state } = await expectRun([delegate('child'), final()], {
      subagents: [child([call()], { budget: { maxSteps: 5 } })],
      budget: ExecutionBudget.unlimited(),
    }).toEnd('completed', 'completed');
    expect(AgentState.stepCount(execution(state)!.childState!)).toBe(5);
  });

  it('150 a subagent is announced with its name, its depth and its call, and its end is reported', async () => {
    const told: unknown[] = [];
    const kid = child([final('x', { usage: u(3) })]);
    const { state } = await expectRun(
      [delegate('child'), final()],
      { subagents: [kid] },
      {
        onEvent(event, root) {
          if (event.type !== 'subagent-start' && event.type !== 'subagent-end') return;
          const { agentId } = eventAddress(event, root)!;
          const started = AgentState.currentStep(root)?.toolExecutions[0]?.childState;
          const { type, toolCallId } = event;
          const depth = event.path.length;
          const what =
            event.type === 'subagent-start'
              ? { name: event.name, parent: event.child.parentAgentId, id: event.child.agentId }
              : {
                  status: event.status,
                  steps: AgentState.stepCount(started!),
                  tokens: AgentState.usage(started!).totalTokens,
                  parent: started?.parentAgentId,
                  id: started?.agentId,
                };
          told.push({ type, toolCallId, agentId, depth, ...what });
        },
      },
    ).toEnd('completed', 'completed');
    const { id: toolCallId, childState } = execution(state)!;
    const common = {
      toolCallId,
      agentId: state.agentId,
      depth: 0,
      parent: state.agentId,
      id: childState?.agentId,
    };
    expect(told).toEqual([
      { type: 'subagent-start', ...common, name: 'child' },
      { type: 'subagent-end', ...common, status: 'completed', steps: 1, tokens: 3 },
    ]);
  });
});
