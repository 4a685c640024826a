import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineHook } from '../agent/hook.ts';
import { defineTool, type Tool } from '../agent/tool.ts';
import type { ApprovalDecision } from '../agent/approval-decision.ts';
import * as AgentState from './agent-state.ts';
import { toolCalls } from '../graph/message.ts';
import type { AgentState as State } from '../graph/types.ts';
import { createDeferred } from '../kit/deferred.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool } from '@vitrine/testing/internal/session.fixture';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';

const roundTrip = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
const firstCall = (state: State) => AgentState.steps(state)[0]?.toolExecutions[0];

describe('edited arguments of a call', () => {
  const paid: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: '',
    input: z.object({ amount: z.number() }),
    needsApproval: ({ amount }): ApprovalDecision => (amount > 500 ? { deny: 'too much' } : amount > 1),
    execute: ({ amount }) => paid.push(amount),
  });
  const policy = defineHook({
    name: 'policy',
    on: 'before-tool-use',
    run(_state, { fields, block }) {
      const { amount } = fields.toolCall!.input as { amount: number };
      if (amount > 100 && amount <= 500) block('over 100');
    },
  });
  const agent = () =>
    scriptedAgent([{ toolCalls: [{ name: 'pay', input: { amount: 7 } }] }, { text: 'Done' }], {
      tools: [pay],
      hooks: [policy],
    });
  const approvedWith = async (input: { amount: unknown }) => {
    paid.length = 0;
    const definition = agent();
    const { state } = await expectRun(definition).toEnd('in-progress', null);
    const [pending] = AgentState.pendingApprovals(state);
    const approved = AgentState.withApproval(roundTrip(state), pending!.id, { input: input as never });
    return expectRun(definition, {}, { state: approved }).toEnd('completed', 'completed', { steps: 2 });
  };

  it('edited arguments run the before-tool-use hooks again', async () => {
    const { state } = await approvedWith({ amount: 200 });
    expect(firstCall(state)).toMatchObject({
      status: 'blocked',
      error: { message: expect.stringContaining('over 100') },
    });
    expect(paid).toEqual([]);
  });

  it("edited arguments are put to the tool's own rule again, and only a rejection counts", async () => {
    const { state } = await approvedWith({ amount: 1000 });
    expect(firstCall(state)).toMatchObject({
      status: 'rejected',
      error: { message: expect.stringContaining('too much') },
    });
    expect(paid).toEqual([]);
  });

  it('edited arguments are validated by the schema again', async () => {
    const { state } = await approvedWith({ amount: 'all of it' });
    expect(firstCall(state)).toMatchObject({ status: 'failed', error: { code: 'tool-input-invalid' } });
    expect(paid).toEqual([]);
  });

  it('edited arguments are run, shown to the model and stored, without a second question', async () => {
    const { state, requests, events } = await approvedWith({ amount: 42 });
    expect(paid).toEqual([42]);
    expect(events.filter(({ type }) => type === 'approval-request')).toEqual([]);
    const shown = requests[0]?.messages.flatMap(toolCalls).map(({ input }) => input);
    expect(shown).toEqual([{ amount: 42 }]);
    expect(AgentState.messages(state).flatMap(toolCalls)[0]?.input).toEqual({ amount: 42 });
    expect(firstCall(state)).toMatchObject({ toolCall: { input: { amount: 42 } }, result: 1 });
  });
});

describe('a remembered decision of a subagent', () => {
  const setUp = () => {
    const { tool, runs } = askingTool('pay');
    const pays = { toolCalls: [{ name: 'pay', input: {} }] };
    const kid = scriptedAgent([pays, { text: 'x' }, pays, { text: 'x' }, pays, { text: 'x' }], {
      name: 'kid',
      tools: [tool],
    });
    const delegates = { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 't' } }] };
    const script = [delegates, delegates, { text: 'One' }, delegates, { text: 'Two' }];
    return { agent: scriptedAgent(script, { subagents: [kid] }), runs };
  };
  const answeredOnce = async (remember: 'session' | 'execution') => {
    const { agent, runs } = setUp();
    const { state: paused } = await expectRun(agent).toEnd('in-progress', null);
    const [pending] = AgentState.pendingApprovals(paused);
    const state = AgentState.withApproval(roundTrip(paused), pending!.id, { remember });
    const first = await expectRun(agent, {}, { state }).toEnd('completed', 'completed', { text: 'One' });
    return { agent, runs, next: AgentState.withUserMessage(roundTrip(first.state), 'Again') };
  };

  it('a decision remembered for the session applies to other subagents and to later runs', async () => {
    const { agent, runs, next } = await answeredOnce('session');
    expect(runs).toHaveLength(2);
    await expectRun(agent, {}, { state: next }).toEnd('completed', 'completed', { text: 'Two' });
    expect(runs).toHaveLength(3);
  });

  it('a decision remembered for the run applies until the run ends', async () => {
    const { agent, runs, next } = await answeredOnce('execution');
    expect(runs).toHaveLength(2);
    await expectRun(agent, {}, { state: next }).toEnd('in-progress', null);
    expect(runs).toHaveLength(2);
  });
});

describe('a remembered rejection', () => {
  it('a remembered rejection stops the next calls of the tool without a question', async () => {
    const { tool, runs } = askingTool('pay');
    const pays = { toolCalls: [{ name: 'pay', input: {} }] };
    const agent = scriptedAgent([pays, pays, { text: 'Done' }], { tools: [tool] });
    const { state: paused } = await expectRun(agent).toEnd('in-progress', null);
    const [pending] = AgentState.pendingApprovals(paused);
    const state = AgentState.withRejection(paused, pending!.id, { remember: 'session' });
    const end = await expectRun(agent, {}, { state: roundTrip(state) }).toEnd('completed', 'completed', {
      steps: 3,
    });
    expect(AgentState.steps(end.state).map((step) => step.toolExecutions[0]?.status)).toEqual([
      'rejected',
      'rejected',
      undefined,
    ]);
    expect(runs).toEqual([]);
  });
});

describe('the output that a person gives for a call', () => {
  const form = defineTool({ name: 'form', description: '', input: z.object({}), output: z.string() });
  const answeredWith = async (output: string | number) => {
    const agent = scriptedAgent([{ toolCalls: [{ name: 'form', input: {} }] }, { text: 'Done' }], {
      tools: [form],
    });
    const { state: paused } = await expectRun(agent).toEnd('in-progress', null);
    const [pending] = AgentState.pendingApprovals(paused);
    const state = AgentState.withOutput(roundTrip(paused), pending!.id, output);
    const end = await expectRun(agent, {}, { state }).toEnd('completed', 'completed', { steps: 2 });
    return firstCall(end.state);
  };

  it('an output given by a person completes the call when it fits the schema, else the call fails', async () => {
    expect(await answeredWith('given')).toMatchObject({ status: 'completed', result: 'given', error: null });
    const refused = await answeredWith(7);
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'tool-output-invalid' } });
    expect(refused && 'result' in refused).toBe(false);
  });

  it.each([
    ['as it was asked', {}],
    ['with other arguments', { input: { of: 'me' } }],
    ['for the whole session', { remember: 'session' }],
  ] as const)(
    'a call that needed an approval first still waits for its output, %s',
    async (_what, options) => {
      const input = z.object({ of: z.optional(z.string()) });
      const shared = {
        name: 'form',
        description: '',
        input,
        output: z.string(),
        needsApproval: true,
      } as const;
      const ask = { toolCalls: [{ name: 'form', input: {} }] };
      const agent = scriptedAgent([ask, { text: 'Done' }], { tools: [defineTool(shared)] });
      const asking = await expectRun(agent).toEnd('in-progress', null);
      const { id } = AgentState.pendingApprovals(asking.state)[0]!;
      const approved = AgentState.withApproval(roundTrip(asking.state), id, options);
      const { state: waiting } = await expectRun(agent, {}, { state: approved }).toEnd('in-progress', null);
      expect(AgentState.pendingApprovals(waiting)).toMatchObject([{ id, status: 'awaiting-output' }]);
      const given = AgentState.withOutput(roundTrip(waiting), id, 'given');
      const { state } = await expectRun(agent, {}, { state: given }).toEnd('completed', 'completed', {
        steps: 2,
      });
      expect(firstCall(state)).toMatchObject({ status: 'completed', result: 'given' });
    },
  );
});

describe('a question to a person', () => {
  it('a question is asked at once although a slow call runs, and the run pauses after that call', async () => {
    const { promise: asked, resolve: noteAsked } = createDeferred<string>();
    const slow = fakeTool('slow', () => asked);
    const told: string[] = [];
    const script = [
      {
        toolCalls: [
          { name: 'slow', input: {} },
          { name: 'pay', input: {} },
        ],
      },
      { text: 'Done' },
    ];
    await expectRun(
      script,
      { tools: [slow, askingTool('pay').tool] },
      {
        onEvent({ type }) {
          told.push(type);
          if (type === 'approval-request') noteAsked('done');
        },
      },
    ).toEnd('in-progress', null, { modelCalls: 1 });
    const order = ['tool-start', 'approval-request', 'tool-end', 'execution-pause'];
    expect(told.filter((type) => order.includes(type))).toEqual(order);
  });
});

it('progress reported after an approval rule has answered is ignored', async () => {
  const { promise: isLate, resolve: late } = createDeferred<void>();
  const tool = defineTool({
    name: 'ask',
    description: '',
    input: z.any(),
    needsApproval: (_input, ctx) => {
      void isLate.then(() => ctx.report('late'));
      return false;
    },
    execute: () => 'done',
  });
  const events: string[] = [];
  const script = [{ toolCalls: [{ name: 'ask', input: {} }] }, () => (late(), { text: 'x', delayMs: 5 })];
  const agent = scriptedAgent(script, { tools: [tool] });
  await createAgentLoop(agent, { onEvent: ({ type }) => events.push(type) }).execute(ask());
  expect(events).toContain('call-settle');
  expect(events).not.toContain('tool-progress');
});

/** A tool whose calls ask together; they note their numbers in `ran`. */
function movingTool(ran: number[]): Tool {
  return defineTool({
    name: 'move',
    description: '',
    input: z.object({ n: z.number() }),
    needsApproval: ({ n }) => ({ ask: `Move ${n}?`, together: true }),
    execute: ({ n }) => ran.push(n),
  });
}

it('calls that ask together start with the last answer, also after a reload, and a rejected one does not', async () => {
  const ran: number[] = [];
  const tool = movingTool(ran);
  const script = [{ toolCalls: [1, 2, 3].map((n) => ({ name: 'move', input: { n } })) }, { text: 'Done' }];
  const loop = createAgentLoop(scriptedAgent(script, { tools: [tool] }));
  let state = await loop.execute(ask());
  const [first, second, third] = AgentState.pendingApprovals(state).map(({ id }) => id) as [
    string,
    string,
    string,
  ];
  state = await loop.execute(AgentState.withApproval(state, third));
  state = await loop.execute(AgentState.withRejection(state, first));
  expect(ran).toEqual([]);
  state = await loop.execute(AgentState.withApproval(roundTrip(state), second));
  expect(ran).toEqual([2, 3]);
  expect(AgentState.status(state)).toBe('completed');
});

it('calls of subagents that ask together start with the last answer of the whole step', async () => {
  const ran: number[] = [];
  const tool = movingTool(ran);
  const kid = (n: number) =>
    scriptedAgent([{ toolCalls: [{ name: 'move', input: { n } }] }, { text: `Moved ${n}` }], {
      name: `kid${n}`,
      tools: [tool],
    });
  const toolCalls = [
    { name: 'delegate', input: { agent: 'kid1', task: 'one' } },
    { name: 'delegate', input: { agent: 'kid2', task: 'two' } },
    { name: 'move', input: { n: 3 } },
  ];
  const agent = scriptedAgent([{ toolCalls }, { text: 'Done' }], {
    tools: [tool],
    subagents: [kid(1), kid(2)],
  });
  const loop = createAgentLoop(agent);
  let state = await loop.execute(ask());
  const idOf = (n: number) =>
    AgentState.pendingApprovals(state).find(({ approval }) => approval?.reason === `Move ${n}?`)!.id;
  state = await loop.execute(AgentState.withApproval(state, idOf(1)));
  state = await loop.execute(AgentState.withApproval(roundTrip(state), idOf(3)));
  expect(ran).toEqual([]);
  state = await loop.execute(AgentState.withRejection(state, idOf(2)));
  expect(ran.toSorted()).toEqual([1, 3]);
  expect(AgentState.status(state)).toBe('completed');
});
