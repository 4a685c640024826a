import {
  type AgentEvent,
  AgentState,
  AgentStopError,
  createAgentSession,
  defineHook,
  eventAddress,
  StopSignal,
} from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { call, delegate, errorStep, expectRun, final, scripted, throws, u } from './fixtures.ts';

type Told = { readonly event: AgentEvent; readonly address: ReturnType<typeof eventAddress> };
async function told(...[script, init]: Parameters<typeof expectRun>) {
  const list: Told[] = [];
  const { state } = await expectRun(script, init, {
    onEvent: (event, root) => void list.push({ event, address: eventAddress(event, root) }),
  }).toEnd('completed', 'completed');
  return { state, list };
}

describe('an event', () => {
  it('183 an event has the ids of agent, execution and parent, its step counted from 1, and its call', async () => {
    const child = scripted([call(), final()], { name: 'child' });
    const { state, list } = await told([delegate('child'), final()], { subagents: [child] });
    const execution = AgentState.steps(state)[0]!.toolExecutions[0]!;
    const kid = execution.childState!;
    for (const { event, address } of list) {
      const owner = event.path.length === 0 ? state : kid;
      expect(address, event.type).toMatchObject({
        agentId: owner.agentId,
        parentAgentId: owner.parentAgentId,
        executionId: owner.execution?.executionId,
      });
    }
    const own = list.filter(({ event }) => event.path.length === 0);
    const numbers = own.flatMap(({ event, address }) =>
      event.type.startsWith('step-') ? [[event.type, address?.stepNumber]] : [],
    );
    expect(numbers).toEqual([
      ['step-start', 1],
      ['step-end', 1],
      ['step-start', 2],
      ['step-end', 2],
    ]);
    const ofCalls = list.filter(({ event }) => /^(tool|call)-/.test(event.type));
    expect(ofCalls.map(({ event }) => event.type)).toContain('tool-end');
    const inner = AgentState.steps(kid)[0]?.toolExecutions[0]?.id;
    for (const { event, address } of ofCalls) {
      expect(address?.stepNumber).toBe(1);
      expect(event).toMatchObject({ toolCallId: event.path.length === 0 ? execution.id : inner });
    }
    expect(kid.parentAgentId).toBe(state.agentId);
  });

  it('185 the event of a stop exception names the step and the signal that it carried; the step is recorded', async () => {
    const signal = StopSignal.userRequested({ message: 'm', context: { a: 1 }, source: 's' });
    const stop = defineHook({
      name: 'stop',
      on: 'after-inference',
      run: () => Promise.reject(new AgentStopError(signal)),
    });
    const { events } = await expectRun([final()], { hooks: [stop] }).toEnd('stopped', 'user-requested', {
      steps: 1,
    });
    expect(events.findLast((event) => event.type === 'continuation-evaluate')?.evaluation).toMatchObject({
      at: 'after-step',
      stepNumber: 1,
      shouldStop: true,
      winner: { reason: 'user-requested', message: 'm', context: { a: 1 }, source: 's' },
    });
  });

  it('186 an event of a subagent reaches the listener of its parent, and every listener of a session hears all', async () => {
    const agent = scripted([delegate('child'), final()], {
      subagents: [scripted([final()], { name: 'child' })],
    });
    const [heard, types]: [AgentEvent[], string[]] = [[], []];
    const session = createAgentSession({ agent, onEvent: (event) => void heard.push(event) });
    session.onEvent((event) => event.type === 'step-end' && void types.push(event.type));
    const leave = session.onEvent(() => void types.push('left'));
    leave();
    await session.sendMessage('Hello');
    const state = session.store.getState().state;
    const id = AgentState.steps(state)[0]?.toolExecutions[0]?.id;
    const forwarded = heard.filter(({ path }) => path.length > 0);
    expect(forwarded.every(({ path }) => path.length === 1 && path[0] === id)).toBe(true);
    expect(forwarded[0]?.type).toBe('execution-start');
    expect(forwarded.at(-1)?.type).toBe('execution-end');
    const between = heard.indexOf(forwarded[0]!);
    expect(heard[between - 1]?.type).toBe('subagent-start');
    expect(heard[heard.indexOf(forwarded.at(-1)!) + 1]?.type).toBe('subagent-end');
    expect(types).toEqual(heard.filter(({ type }) => type === 'step-end').map(({ type }) => type));
    expect(types).toHaveLength(3);
    await session.dispose();
  });
});

describe('the end of a run', () => {
  it.each([
    ['187 is told once and last when it completed', [call(), final()], 'completed', 'completed'],
    ['187 is told once and last when it was stopped', [call()], 'stopped', 'steps-limit-reached'],
    ['187 is told once and last when it failed', [call(), throws('x')], 'failed', 'error-forbade'],
  ] as const)('%s', async (_title, script, status, reason) => {
    const { events } = await expectRun(script, { budget: { maxSteps: 3 } }).toEnd(status, reason);
    expect(events.filter(({ type }) => type === 'execution-end')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'execution-end', status });
  });

  it('188 the end of a failed run never says completed, and neither do its signals', async () => {
    for (const script of [[throws('x')], [errorStep('x')], [call(), throws('x')]]) {
      const { events } = await expectRun(script).toEnd('failed', 'error-forbade');
      const signals = events.flatMap((event) => (event.type === 'stop-signal' ? [event.signal.reason] : []));
      expect(signals).toEqual(['error-forbade']);
      const ends = events.flatMap((event) => (event.type === 'execution-end' ? [event.status] : []));
      expect(ends).toEqual(['failed']);
    }
  });
});

describe('what a model streams', () => {
  const chunks = ['a', '', 'b', '', 'c'];

  it('190 the stream of a model arrives without empty pieces, in order, and anew in every step', async () => {
    const { state, list } = await told([{ ...call(), text: 'abc', chunks }, { chunks: ['d'] }]);
    const deltas = list.flatMap(({ event, address }) =>
      event.type === 'text-delta' ? [[address?.stepNumber, event.partId, event.delta]] : [],
    );
    expect(deltas).toEqual([
      [1, '0', 'a'],
      [1, '0', 'b'],
      [1, '0', 'c'],
      [2, '0', 'd'],
    ]);
    const seqs = list.flatMap(({ event }) => (event.seq === null ? [] : [event.seq]));
    expect(seqs).toEqual(seqs.map((_seq, index) => index + 1));
    expect(AgentState.finalResponse(state)).toBe('d');
  });

  it('191 the usage is counted where tokens were used, and nowhere else', async () => {
    const { list } = await told([call('ok', {}, { usage: u(3) }), final()]);
    const used = list.flatMap(({ event }) =>
      event.type === 'inference-end' ? [event.response.usage.totalTokens] : [],
    );
    expect(used).toEqual([3, 0]);
    const others = list.filter(({ event }) => event.type !== 'inference-end' && 'usage' in event);
    expect(others).toEqual([]);
  });
});
