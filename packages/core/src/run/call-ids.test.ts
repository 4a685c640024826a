import { describe, expect, it } from 'vitest';
import * as AgentState from './agent-state.ts';
import { isUuid } from '../kit/ids.ts';
import type { AgentState as State, ToolExecution } from '../graph/types.ts';
import { assistant, type Message, tool, toolCalls, user } from '../graph/message.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool } from '@vitrine/testing/internal/session.fixture';
import { withWireIds } from '../features/wire-messages.ts';

const roundTrip = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
const echo = fakeTool('echo', (input) => input);
const firstCalls = (state: State): readonly ToolExecution[] =>
  AgentState.steps(state)[0]?.toolExecutions ?? [];
/** The ids of calls, and of their results, as a model receives them. */
const shownIds = ({ messages }: InferenceRequest): { calls: string[]; results: string[] } => ({
  calls: messages.flatMap(toolCalls).map(({ toolCallId }) => toolCallId),
  results: messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])),
  ),
});

function requestOf(messages: readonly Message[]): InferenceRequest {
  const how = { model: null, tools: [], toolChoice: 'auto', responseFormat: null, settings: {} } as const;
  return { ...how, messages };
}

describe('calls to which a provider gives the same id', () => {
  it.each([
    ['the same', 'same'],
    ['no', ''],
  ])('calls of one answer (%s id) run once each, with their own results', async (_what, id) => {
    const inputs = [1, 2, 3];
    const script = [{ toolCalls: inputs.map((n) => ({ name: 'echo', input: { n }, id })) }, { text: 'Done' }];
    const { state, requests } = await expectRun(script, { tools: [echo] }).toEnd('completed', 'completed', {
      steps: 2,
    });
    expect(firstCalls(state).map(({ result }) => result)).toEqual(inputs.map((n) => ({ n })));
    expect(new Set(firstCalls(state).map((call) => call.id)).size).toBe(3);
    expect(firstCalls(state).every((call) => isUuid(call.id))).toBe(true);
    const { calls, results } = shownIds(requests[1]!);
    expect(results).toEqual(calls);
    expect(new Set(calls).size).toBe(3);
    expect(calls.every((name) => name !== '')).toBe(true);
    expect(roundTrip(state)).toEqual(state);
  });

  it('calls of one answer with the same id wait and are answered one by one', async () => {
    const { tool, runs } = askingTool('pay');
    const agent = scriptedAgent(
      [{ toolCalls: [1, 2].map((n) => ({ name: 'pay', input: { n }, id: 'same' })) }, { text: 'Done' }],
      { tools: [tool] },
    );
    const paused = await expectRun(agent).toEnd('in-progress', null);
    const [first, second] = AgentState.pendingApprovals(paused.state);
    const answered = AgentState.withApproval(AgentState.withRejection(paused.state, first!.id), second!.id);
    const { state } = await expectRun(agent, {}, { state: roundTrip(answered) }).toEnd(
      'completed',
      'completed',
    );
    expect(runs).toEqual([{ n: 2 }]);
    expect(firstCalls(state).map(({ status }) => status)).toEqual(['rejected', 'completed']);
    expect(AgentState.pendingApprovals(state)).toEqual([]);
  });

  it('calls of several steps with the same id keep their own results', async () => {
    const step = (n: number) => ({ toolCalls: [{ name: 'echo', input: { n }, id: 'same' }] });
    const { requests } = await expectRun([step(1), step(2), { text: 'Done' }], { tools: [echo] }).toEnd(
      'completed',
      'completed',
      { steps: 3 },
    );
    const { calls, results } = shownIds(requests[2]!);
    expect(new Set(calls).size).toBe(2);
    expect(results).toEqual(calls);
  });
});

describe('the result of a call in requests to a model', () => {
  it('the result message of a call is the same object in every request, so that clients can cache by it', async () => {
    const step = { toolCalls: [{ name: 'echo', input: {} }] };
    const { requests } = await expectRun([step, step, { text: 'Done' }], { tools: [echo] }).toEnd(
      'completed',
      'completed',
    );
    const [second, third] = [requests[1], requests[2]].map((request) =>
      request?.messages.find(({ role }) => role === 'tool'),
    );
    expect(second).toBeDefined();
    expect(third).toBe(second);
  });

  it('the result message of a call stays the same object when an earlier message changes', () => {
    const [call, result] = [
      assistant([{ type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: {}, providerCallId: 'p' }]),
      tool({ toolCallId: 'c', toolName: 'echo', output: 1 }),
    ];
    const [first, second] = ['One', 'Two'].map((text) => withWireIds(requestOf([user(text), call, result])));
    expect(first?.messages[2]).not.toBe(result);
    expect(second?.messages[2]).toBe(first?.messages[2]);
  });

  it('the result of a call is named as in its own conversation, also when another one uses another name', () => {
    const result = tool({ toolCallId: 'c', toolName: 'echo', output: 1 });
    const named = (providerCallId: string): InferenceRequest =>
      requestOf([
        assistant([{ type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: {}, providerCallId }]),
        result,
      ]);
    for (const name of ['one', 'two', 'one'])
      expect(shownIds(withWireIds(named(name)))).toEqual({ calls: [name], results: [name] });
  });
});

describe('calls of two subagents with the same id', () => {
  it('calls of two subagents with the same id are answered separately: only the approved one runs', async () => {
    const { tool, runs } = askingTool('pay');
    const kid = (name: string) =>
      scriptedAgent([{ toolCalls: [{ name: 'pay', input: { from: name }, id: 'call_1' }] }, { text: name }], {
        name,
        tools: [tool],
      });
    const agent = scriptedAgent(
      [
        { toolCalls: ['a', 'b'].map((name) => ({ name: 'delegate', input: { agent: name, task: 't' } })) },
        { text: 'Done' },
      ],
      { subagents: [kid('a'), kid('b')] },
    );
    const paused = await expectRun(agent).toEnd('in-progress', null);
    const waiting = AgentState.pendingApprovals(paused.state);
    const byName = (name: string): string =>
      waiting.find(({ toolCall }) => JSON.stringify(toolCall.input).includes(`"${name}"`))!.id;
    expect(new Set(waiting.map(({ id }) => id)).size).toBe(2);
    const answered = AgentState.withApproval(
      AgentState.withRejection(paused.state, byName('a')),
      byName('b'),
    );
    const { state } = await expectRun(agent, {}, { state: roundTrip(answered) }).toEnd(
      'completed',
      'completed',
    );
    expect(runs).toEqual([{ from: 'b' }]);
    expect(firstCalls(state).map(({ childState }) => firstCalls(childState!)[0]?.status)).toEqual([
      'rejected',
      'completed',
    ]);
  });
});
