import { EventSchema } from '@ag-ui/core/schemas';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import { aguiAgent, toAgUi } from '@vitrine/ag-ui';
import { scriptedInference, type ScriptedEntry } from '@vitrine/testing';
import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import type { AgentState as State, ToolExecution } from '@vitrine/core/internal/graph/types';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { delegatingSession, double, pay } from '@vitrine/testing/internal/bridged-session.fixture';
import { served } from '../../../../tests/serve-fetch.ts';

type Options = Partial<Parameters<typeof aguiAgent>[0]>;

const numRuns = Number(process.env['PROVE_RUNS'] ?? 20);
const stateOf = (session: AgentSession) => session.store.getState().state;
const callsOf = (state: State): readonly ToolExecution[] =>
  AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
const askedOf = (session: AgentSession) => AgentState.pendingApprovals(stateOf(session));
const skippedOf = (session: AgentSession) =>
  (stateOf(session).plugins['ag-ui']?.data as { skipped?: unknown } | undefined)?.skipped;

/** The children of a state by the input of their calls: what they said and called, and how they ended. */
function childrenOf(state: State): unknown {
  return callsOf(state).flatMap(({ toolCall, childState, status, result = null }) => {
    if (childState === null) return [];
    const texts = AgentState.messages(childState).map(({ role, parts }) => [
      role,
      parts.flatMap((part) => (part.type === 'text' || part.type === 'reasoning' ? [part.text] : [])),
    ]);
    const calls = callsOf(childState).map((call) => [
      call.toolCall.name,
      call.toolCall.input,
      call.status,
      call.result,
    ]);
    const { input } = toolCall;
    return [
      {
        input,
        status,
        result,
        texts,
        calls,
        end: AgentState.status(childState),
        below: childrenOf(childState),
      },
    ];
  });
}

/** All that an agent has said. */
function wordsOf(state: State): string {
  const said = AgentState.messages(state).filter(({ role }) => role === 'assistant');
  return said.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : ''))).join('');
}

function stored(state: State): State {
  return AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
}

/** A session of ours over a session of ours, over HTTP. */
async function over(backend: AgentSession): Promise<AgentSession> {
  const url = await served(toAgUi(backend, { graceMs: 50 }));
  return createAgentSession({ agent: aguiAgent({ url }), publish: 'immediate' });
}

/** A session whose agent delegates to agents that follow scripts, all at once. */
function delegating(
  kids: Readonly<Record<string, readonly ScriptedEntry[]>>,
  more: readonly unknown[] = [],
): AgentSession {
  const names = Object.keys(kids);
  const delegations = names.map((agent) => ({
    name: 'delegate',
    input: { agent, task: `work of ${agent}` },
  }));
  const agent = defineAgent({
    name: 'parent',
    inference: scriptedInference([{ toolCalls: [...delegations, ...(more as [])] }, { text: 'All done' }]),
    tools: [double, pay],
    subagents: names.map((name) => scriptedAgent(kids[name] ?? [], { name, tools: [double, pay] })),
  });
  return createAgentSession({ agent, publish: 'immediate' });
}

const ofN = (name: string, n: number) => ({ name, input: { n } });

describe('subagents of a session of ours', () => {
  it('a subagent stands below its call, with its steps, calls and end', async () => {
    const backend = delegating({
      kid: [
        { reasoning: 'Hm', text: 'Doubling', toolCalls: [ofN('double', 2), ofN('double', 3)] },
        { text: 'Ten' },
      ],
    });
    const session = await over(backend);
    expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
    expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
    expect(callsOf(stateOf(session))).toMatchObject([{ status: 'completed', result: 'Ten' }]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('All done');
    expect(AgentState.stepCount(stateOf(session))).toBe(2);
    expect(skippedOf(session)).toEqual({});
    expect(stored(stateOf(session))).toEqual(stateOf(session));
  });

  it('subagents side by side are told apart, also when one of them fails', async () => {
    const slow = { text: 'a b c d', chunks: ['a ', 'b ', 'c ', 'd'], delayMs: 3 };
    const backend = delegating({
      one: [
        { ...slow, toolCalls: [ofN('double', 1)] },
        { ...slow, text: 'One' },
      ],
      two: [
        { ...slow, toolCalls: [ofN('double', 2)] },
        { error: new Error('no ink'), text: 'Half' },
      ],
      three: [{ ...slow }],
    });
    const session = await over(backend);
    expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
    const [one, two, three] = childrenOf(stateOf(session)) as Record<string, unknown>[];
    const [first, second, third] = childrenOf(stateOf(backend)) as Record<string, unknown>[];
    expect([one, three]).toEqual([first, third]);
    expect(two).toMatchObject({ status: 'failed', end: 'failed', calls: second?.['calls'] });
    expect(callsOf(stateOf(session))[1]?.error?.message).toMatch(/no ink/);
  });

  it('an approval inside a subagent is asked there, and answered there', async () => {
    const backend = delegatingSession();
    const session = await over(backend);
    expect(await session.sendMessage('Go')).toMatchObject({ status: 'awaiting-input' });
    expect(askedOf(session)).toMatchObject([{ toolCall: { name: 'pay' }, approval: { reason: 'Pay 7?' } }]);
    await session.approve(askedOf(session)[0]!.id);
    expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
    expect(callsOf(stateOf(session))).toMatchObject([{ status: 'completed', result: 'Kid done' }]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('All done');
  });

  it.each([false, true])(
    'approvals of the agent and of two subagents are sent together, when the last is given (reload: %s)',
    async (isReloaded) => {
      const kid = (n: number) => [{ text: 'Paying', toolCalls: [ofN('pay', n)] }, { text: `Paid ${n}` }];
      const backend = delegating({ one: kid(1), two: kid(2) }, [ofN('pay', 3)]);
      const url = await served(toAgUi(backend, { graceMs: 50 }));
      const open = (initialState?: State) =>
        createAgentSession({
          agent: aguiAgent({ url }),
          publish: 'immediate',
          ...(initialState === undefined ? {} : { initialState }),
        });
      const before = open();
      expect(await before.sendMessage('Go')).toMatchObject({ status: 'awaiting-input' });
      const session = isReloaded ? open(stored(stateOf(before))) : before;
      const reasons = askedOf(session).map(({ approval }) => approval?.reason);
      expect(reasons.toSorted()).toEqual(['Pay 1?', 'Pay 2?', 'Pay 3?']);
      const idOf = (n: number) =>
        askedOf(session).find(({ approval }) => approval?.reason === `Pay ${n}?`)!.id;
      expect(await session.approve(idOf(3))).toMatchObject({ status: 'awaiting-input' });
      expect(await session.approve(idOf(1), { input: { n: 10 } })).toMatchObject({
        status: 'awaiting-input',
      });
      expect(AgentState.pendingApprovals(stateOf(backend))).toHaveLength(3);
      expect(await session.reject(idOf(2), { reason: 'no money' })).toMatchObject({ outcome: 'completed' });
      expect(callsOf(stateOf(session))).toMatchObject([
        { status: 'completed', result: 'Paid 1' },
        { status: 'completed', result: 'Paid 2' },
        { status: 'completed', result: { paid: 3 } },
      ]);
      expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
      expect(stored(stateOf(session))).toEqual(stateOf(session));
    },
  );

  it('a subagent of a subagent stands below it, with its approval', async () => {
    const inner = scriptedAgent([{ toolCalls: [ofN('pay', 5)] }, { text: 'Inner done' }], {
      name: 'inner',
      tools: [pay],
    });
    const outer = scriptedAgent(
      [
        { text: 'On', toolCalls: [{ name: 'delegate', input: { agent: 'inner', task: 'pay' } }] },
        { text: 'Outer done' },
      ],
      { name: 'outer', subagents: [inner] },
    );
    const script = [
      { toolCalls: [{ name: 'delegate', input: { agent: 'outer', task: 'go' } }] },
      { text: 'All done' },
    ];
    const backend = createAgentSession({
      agent: scriptedAgent(script, { subagents: [outer] }),
      publish: 'immediate',
    });
    const session = await over(backend);
    expect(await session.sendMessage('Go')).toMatchObject({ status: 'awaiting-input' });
    expect(askedOf(session)).toMatchObject([{ toolCall: { name: 'pay' } }]);
    expect(await session.approve(askedOf(session)[0]!.id)).toMatchObject({ outcome: 'completed' });
    expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
    expect(AgentState.finalResponse(stateOf(session))).toBe('All done');
  });

  it('approvals that are given as soon as they are asked are sent together too', async () => {
    const kids = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [
        `kid${n}`,
        [{ text: 'Paying '.repeat(n), chunks: n, toolCalls: [ofN('pay', n)] }, { text: `Paid ${n}` }],
      ]),
    );
    const backend = delegating(kids, [ofN('pay', 7), ofN('double', 8)]);
    const session = await over(backend);
    session.onEvent((event) => {
      if (event.type === 'approval-request') void session.approve(event.toolCallId);
    });
    await session.sendMessage('Go');
    await vi.waitFor(() => expect(session.store.getState().status).toBe('ready'));
    expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
    expect(callsOf(stateOf(session)).map(({ status }) => status)).toEqual(
      Array.from({ length: 8 }, () => 'completed'),
    );
  });

  it('a stop while a subagent waits for an approval ends it, and the next message is answered', async () => {
    const backend = delegatingSession();
    const session = await over(backend);
    await session.sendMessage('Go');
    await session.stop();
    const [call] = callsOf(stateOf(session));
    expect(AgentState.status(call?.childState as State)).toBe('stopped');
    expect(stored(stateOf(session))).toEqual(stateOf(session));
    expect(await session.sendMessage('Again')).toMatchObject({ outcome: 'completed' });
  });

  it(
    'random work of random subagents, with approvals, is the same on both sides',
    { timeout: 300_000 },
    async () => {
      const calls = fc.array(
        fc.record({ name: fc.constantFrom('double', 'pay'), input: fc.record({ n: fc.nat(9) }) }),
        { minLength: 1, maxLength: 3 },
      );
      const step = fc.record({
        text: fc.string({ maxLength: 6 }),
        toolCalls: calls,
        chunks: fc.integer({ min: 1, max: 3 }),
      });
      const work = fc.array(fc.array(step, { maxLength: 2 }), { minLength: 1, maxLength: 3 });
      const own = fc.oneof(fc.constant([]), calls);
      await fc.assert(
        fc.asyncProperty(work, own, fc.infiniteStream(fc.nat(99)), async (kids, more, picks) => {
          const backend = delegating(
            Object.fromEntries(kids.map((steps, at) => [`kid${at}`, [...steps, { text: `End ${at}` }]])),
            more,
          );
          const session = await over(backend);
          let turn = await session.sendMessage('Go');
          while (turn.status === 'awaiting-input') {
            const asked = askedOf(session);
            const { id } = asked[(picks.next().value as number) % asked.length]!;
            turn =
              (picks.next().value as number) % 4 === 0 ? await session.reject(id) : await session.approve(id);
          }
          expect(turn).toMatchObject({ outcome: 'completed' });
          expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
          const endsOf = (of: AgentSession) =>
            callsOf(stateOf(of)).map(({ status, result = null }) => [status, result]);
          expect(endsOf(session)).toEqual(endsOf(backend));
          expect(stored(stateOf(session))).toEqual(stateOf(session));
        }),
        { numRuns, endOnFailure: true },
      );
    },
  );

  it('a second question of the same subagent is asked and answered like the first', async () => {
    const backend = delegating(
      {
        one: [{ toolCalls: [ofN('pay', 1)] }, { toolCalls: [ofN('pay', 2)] }, { text: 'Both' }],
        two: [{ toolCalls: [ofN('pay', 3)] }, { text: 'Three' }],
      },
      [ofN('pay', 4)],
    );
    const session = await over(backend);
    await session.sendMessage('Go');
    for (const { id } of askedOf(session)) await session.approve(id);
    await vi.waitFor(() => expect(askedOf(session)).toMatchObject([{ approval: { reason: 'Pay 2?' } }]));
    expect(await session.approve(askedOf(session)[0]!.id)).toMatchObject({ outcome: 'completed' });
    expect(childrenOf(stateOf(session))).toEqual(childrenOf(stateOf(backend)));
  });

  it('stop ends the subagent here and at the backend, and what came stays', async () => {
    const backend = delegating({ kid: [{ text: 'word '.repeat(2_000), chunks: 2_000, delayMs: 5 }] });
    const session = await over(backend);
    const turn = session.sendMessage('Write');
    await vi.waitFor(() => {
      const child = AgentState.currentStep(stateOf(session))?.toolExecutions[0]?.childState ?? null;
      expect(child === null ? '' : AgentState.currentResponse(child)).toContain('word word');
    });
    await session.stop();
    expect(await turn).toMatchObject({ stopReason: 'user-requested' });
    await vi.waitFor(() => expect(AgentState.stopReason(stateOf(backend))).toBe('user-requested'));
    const [stopped] = callsOf(stateOf(session));
    expect(stopped).toMatchObject({ status: 'failed', error: { code: 'subagent-failed' } });
    const child = stopped?.childState as State;
    expect(AgentState.status(child)).toBe('stopped');
    expect(JSON.stringify(AgentState.messages(child))).toContain('word word');
  });
});

const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };
const asking = (...interrupts: readonly object[]) => ({
  ...finished,
  outcome: { type: 'interrupt', interrupts },
});
const text = (messageId: string, delta: string, of: object = {}) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...of },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta, ...of },
  { type: 'TEXT_MESSAGE_END', messageId, ...of },
];
const call = (toolCallId: string, input: object, of: object = {}) => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'task', ...of },
  { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input), ...of },
  { type: 'TOOL_CALL_END', toolCallId, ...of },
];
const result = (toolCallId: string, content: string, of: object = {}) => ({
  type: 'TOOL_CALL_RESULT',
  toolCallId,
  messageId: `${toolCallId}-result`,
  content,
  ...of,
});
const by = (subagentRunId: string) => ({ subagentRunId });
const begin = (subagentRunId: string, parentToolCallId?: string, more: object = {}) => ({
  type: 'SUBAGENT_STARTED',
  subagentRunId,
  name: 'writer',
  ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
  ...more,
});
const end = (subagentRunId: string, more: object = {}) => ({
  type: 'SUBAGENT_FINISHED',
  subagentRunId,
  ...more,
});

/** A server that answers its requests with given events, the last of them again and again. A promise holds what follows. */
async function serving(...runs: readonly (readonly unknown[])[]) {
  const inputs: Record<string, unknown>[] = [];
  const url = await served(async (request) => {
    inputs.push((await request.json()) as Record<string, unknown>);
    const events = runs[Math.min(inputs.length, runs.length) - 1] ?? [];
    const encoder = new TextEncoder();
    return new Response(
      new ReadableStream({
        async start(controller) {
          for (const event of events) {
            if (event instanceof Promise) await event;
            else controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
          }
          controller.close();
        },
      }),
    );
  });
  const open = (more: Options = {}) =>
    createAgentSession({ agent: aguiAgent({ url, ...more }), publish: 'immediate' });
  return { inputs, open, url };
}

/** The session after a turn over given events. */
async function after(events: readonly unknown[], more: Options = {}): Promise<AgentSession> {
  const session = (await serving(events)).open(more);
  expect(await session.sendMessage('Go')).toMatchObject({ outcome: 'completed' });
  expect(stored(stateOf(session))).toEqual(stateOf(session));
  return session;
}

describe('subagents of any backend', () => {
  it('the words of a subagent are seen while it speaks, and the agent goes on behind it', async () => {
    const [middle, rest] = [createDeferred<void>(), createDeferred<void>()];
    const { open } = await serving([
      started,
      ...call('c1', { task: 'write' }),
      begin('s1', 'c1'),
      ...text('m1', 'Once upon', by('s1')),
      middle.promise,
      ...text('m2', ' a time', by('s1')),
      end('s1'),
      rest.promise,
      result('c1', 'A story.'),
      ...text('m3', 'Done.'),
      finished,
    ]);
    const session = open();
    const turn = session.sendMessage('Go');
    const child = () => AgentState.currentStep(stateOf(session))?.toolExecutions[0]?.childState as State;
    await vi.waitFor(() => expect(AgentState.currentResponse(child())).toBe('Once upon'));
    expect(session.store.getState().activity).toMatchObject({ type: 'subagent', name: 'task' });
    middle.resolve();
    await vi.waitFor(() => expect(AgentState.status(child())).toBe('completed'));
    rest.resolve();
    expect(await turn).toMatchObject({ outcome: 'completed' });
    expect(callsOf(stateOf(session))).toMatchObject([{ status: 'completed', result: 'A story.' }]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Done.');
  });

  it('the next request has the result of the call, and nothing of the subagent', async () => {
    const run = [
      started,
      ...call('c1', { task: 'x' }),
      begin('s1', 'c1'),
      ...text('m1', 'Secret', by('s1')),
      end('s1'),
      result('c1', 'told'),
      ...text('m2', 'Done.'),
      finished,
    ];
    const { open, inputs } = await serving(run);
    const session = open();
    await session.sendMessage('One');
    await session.sendMessage('Two');
    expect(inputs[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ id: 'c1' }] },
      { role: 'tool', toolCallId: 'c1', content: 'told' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user' },
    ]);
    expect(JSON.stringify(inputs[1])).not.toContain('Secret');
  });

  it('a subagent without a call stands below one of its own name', async () => {
    const session = await after([
      started,
      ...text('m0', 'Let me ask.'),
      begin('s1', undefined, { description: 'Write a story' }),
      ...text('m1', 'Once', by('s1')),
      end('s1', { result: { words: 1 } }),
      begin('s2'),
      ...text('m2', 'Twice', by('s2')),
      end('s2'),
      ...text('m3', 'Done.'),
      finished,
    ]);
    expect(callsOf(stateOf(session))).toMatchObject([
      {
        toolCall: { name: 'writer', input: { task: 'Write a story' } },
        status: 'completed',
        result: { words: 1 },
      },
      { toolCall: { name: 'writer', input: {} }, status: 'completed', result: 'Twice' },
    ]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Done.');
  });

  it('a subagent that fails has its message, and its call the result that the backend told', async () => {
    const session = await after([
      started,
      ...call('c1', {}),
      ...call('c2', {}),
      begin('s1', 'c1'),
      begin('s2', 'c2'),
      ...text('m1', 'Half', by('s1')),
      { type: 'SUBAGENT_ERROR', subagentRunId: 's1', message: 'No ink.' },
      { type: 'SUBAGENT_ERROR', subagentRunId: 's2', message: 'No paper.' },
      result('c1', 'It failed, and I handled it.'),
      ...text('m2', 'Done.'),
      finished,
    ]);
    const [first, second] = callsOf(stateOf(session));
    expect(first).toMatchObject({ status: 'completed', result: 'It failed, and I handled it.' });
    expect(AgentState.status(first?.childState as State)).toBe('failed');
    expect(second).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('No paper.') },
    });
  });

  it('a subagent whose end is missing ends with the result of its call, or with the run', async () => {
    const rest = createDeferred<void>();
    const { open } = await serving([
      started,
      ...call('c1', {}),
      ...call('c2', {}),
      begin('s1', 'c1'),
      begin('s2', 'c2'),
      ...text('m1', 'One', by('s1')),
      ...text('m2', 'Two', by('s2')),
      result('c1', 'told'),
      rest.promise,
      finished,
    ]);
    const session = open();
    const turn = session.sendMessage('Go');
    const running = () =>
      AgentState.currentStep(stateOf(session))?.toolExecutions.map(({ status }) => status);
    await vi.waitFor(() => expect(running()).toEqual(['completed', 'running']));
    rest.resolve();
    expect(await turn).toMatchObject({ outcome: 'completed' });
    expect(callsOf(stateOf(session))).toMatchObject([
      { status: 'completed', result: 'told' },
      { status: 'completed', result: 'Two' },
    ]);
    expect(childrenOf(stateOf(session))).toMatchObject([{ end: 'completed' }, { end: 'completed' }]);
  });

  it('events of unknown subagents and repeated begins are counted by name, and the rest is used', async () => {
    const session = await after([
      started,
      ...text('m0', 'Lost', by('nobody')),
      end('nobody'),
      ...call('c1', {}),
      begin('s1', 'c1'),
      begin('s1', 'c1'),
      ...text('m1', 'Found', by('s1')),
      end('s1'),
      end('s1'),
      ...text('m2', 'Late', by('s1')),
      result('c1', 'told'),
      ...text('m3', 'Done.'),
      finished,
    ]);
    expect(childrenOf(stateOf(session))).toMatchObject([
      {
        texts: [
          ['user', ['{}']],
          ['assistant', ['Found']],
        ],
      },
    ]);
    expect(skippedOf(session)).toEqual({
      'SUBAGENT_FINISHED of an unknown subagent': 2,
      'SUBAGENT_STARTED of a repeated id': 1,
      'TEXT_MESSAGE_CONTENT of an unknown subagent': 2,
    });
  });

  it('the state that a subagent changes is that of the run', async () => {
    const session = await after([
      started,
      { type: 'STATE_SNAPSHOT', snapshot: { list: [] } },
      ...call('c1', {}),
      begin('s1', 'c1'),
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/list/-', value: 1 }], ...by('s1') },
      end('s1'),
      result('c1', 'told'),
      ...text('m1', 'Done.'),
      finished,
    ]);
    expect(stateOf(session).plugins['ag-ui']?.data).toMatchObject({ state: { list: [1] } });
  });

  it('a question that names only a subagent, or only its call, is asked inside it', async () => {
    const { open, inputs } = await serving(
      [
        started,
        ...call('c1', {}),
        ...call('c2', {}),
        begin('s1', 'c1'),
        begin('s2', 'c2'),
        end('s1', { outcome: { type: 'suspended' } }),
        asking(
          { id: 'i1', reason: 'confirmation', message: 'One?', subagentRunId: 's1' },
          { id: 'i2', reason: 'confirmation', message: 'Two?', toolCallId: 'c2' },
        ),
      ],
      [
        started,
        ...text('m1', 'Went on', by('s1')),
        end('s1'),
        begin('s9', 'c2'),
        ...text('m2', 'Under another id', by('s9')),
        end('s9'),
        result('c1', 'first'),
        result('c2', 'second'),
        ...text('m3', 'Done.'),
        finished,
      ],
    );
    const session = open();
    expect(await session.sendMessage('Go')).toMatchObject({ status: 'awaiting-input' });
    expect(askedOf(session).map(({ approval }) => approval?.reason)).toEqual(['One?', 'Two?']);
    for (const { id } of askedOf(session)) await session.approve(id);
    await vi.waitFor(() => expect(session.store.getState().status).toBe('ready'));
    expect(inputs[1]?.['resume']).toMatchObject([
      { interruptId: 'i1', status: 'resolved' },
      { interruptId: 'i2', status: 'resolved' },
    ]);
    expect(callsOf(stateOf(session))).toMatchObject([{ result: 'first' }, { result: 'second' }]);
    expect(JSON.stringify(childrenOf(stateOf(session)))).toMatch(/Went on.*Under another id/);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Done.');
    expect(skippedOf(session)).toEqual({});
  });

  it('a reload in the middle of a subagent ends it with an error, and the backend is asked to go on', async () => {
    const never = new Promise<void>(() => undefined);
    const { open, inputs, url } = await serving(
      [started, ...call('c1', {}), begin('s1', 'c1'), ...text('m1', 'Half', by('s1')), never],
      [started, ...text('m2', 'Sorry.'), finished],
    );
    const before = open();
    void before.sendMessage('Go');
    await vi.waitFor(() => expect(JSON.stringify(AgentState.toJSON(stateOf(before)))).toContain('Half'));
    const initialState = stored(stateOf(before));
    const session = createAgentSession({ agent: aguiAgent({ url }), initialState, publish: 'immediate' });
    expect(await session.resume()).toMatchObject({ outcome: 'completed' });
    expect(callsOf(stateOf(session))).toMatchObject([
      { status: 'failed', error: { message: expect.stringMatching(/broke off/) } },
    ]);
    expect(AgentState.finalResponse(stateOf(session))).toBe('Sorry.');
    expect(inputs).toHaveLength(2);
    await before.stop();
  });
});

describe('laws of the events of subagents', () => {
  type Kid = { readonly texts: readonly string[]; readonly hasCall: boolean; readonly hasEnd: boolean };

  /** The events of one subagent, in order: its begin, its work, and its end. */
  const eventsOf = ({ texts, hasCall, hasEnd }: Kid, at: number): readonly unknown[] => [
    begin(`s${at}`, `c${at}`),
    ...(hasCall
      ? [...call(`k${at}`, { n: at }, by(`s${at}`)), result(`k${at}`, `ran ${at}`, by(`s${at}`))]
      : []),
    ...texts.flatMap((one, index) => text(`m${at}.${index}`, one, by(`s${at}`))),
    ...(hasEnd ? [end(`s${at}`)] : []),
    result(`c${at}`, `result ${at}`),
  ];

  /** Lists in one, each in its order; `picks` says which goes on. */
  function interleave(lists: readonly (readonly unknown[])[], picks: readonly number[]): unknown[] {
    const open = lists.map((list) => [...list]);
    const merged: unknown[] = [];
    for (let at = 0; open.some((list) => list.length > 0); at++) {
      const left = open.filter((list) => list.length > 0);
      merged.push(left[(picks[at % picks.length] ?? 0) % left.length]?.shift());
    }
    return merged;
  }

  const kid = fc.record({
    texts: fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 3 }),
    hasCall: fc.boolean(),
    hasEnd: fc.boolean(),
  });

  it(
    'events of subagents in any order among each other make the same children as one after another',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(kid, { minLength: 1, maxLength: 4 }),
          fc.array(fc.nat(7), { minLength: 1, maxLength: 40 }),
          async (kids, picks) => {
            const told = (merged: readonly unknown[]) => [
              started,
              ...kids.flatMap((_kid, at) => call(`c${at}`, { task: `${at}` })),
              ...merged,
              ...text('end', 'Done.'),
              finished,
            ];
            const lists = kids.map(eventsOf);
            const mixed = told(interleave(lists, picks));
            for (const event of mixed) EventSchema.parse(event);
            const [one, other] = [await after(told(lists.flat())), await after(mixed)];
            expect(childrenOf(stateOf(other))).toEqual(childrenOf(stateOf(one)));
            const children = callsOf(stateOf(other)).map(({ childState }) => childState as State);
            expect(children.map(wordsOf)).toEqual(kids.map(({ texts }) => texts.join('')));
            expect(children.map((child) => callsOf(child).map((ran) => ran.result))).toEqual(
              kids.map(({ hasCall }, at) => (hasCall ? [`ran ${at}`] : [])),
            );
            expect(skippedOf(other)).toEqual({});
          },
        ),
        { numRuns, endOnFailure: true },
      );
    },
  );

  it(
    'streams that are cut, shuffled or doubled end every turn, with a state that can be stored',
    { timeout: 300_000 },
    async () => {
      const whole: readonly unknown[] = [
        started,
        ...call('c0', { task: 'a' }),
        ...call('c1', { task: 'b' }),
        ...interleave(
          [
            eventsOf({ texts: ['x', 'y'], hasCall: true, hasEnd: true }, 0),
            eventsOf({ texts: ['z'], hasCall: false, hasEnd: false }, 1),
          ],
          [0, 1],
        ),
        begin('s2', undefined, { parentSubagentRunId: 's0' }),
        ...text('m9', 'deep', by('s2')),
        asking({ id: 'i', reason: 'x', subagentRunId: 's2' }),
        finished,
      ];
      const damaged = fc.oneof(
        fc.nat(whole.length).map((length) => whole.slice(0, length)),
        fc.shuffledSubarray([...whole]),
        fc.array(fc.constantFrom(...whole), { maxLength: 40 }),
      );
      await fc.assert(
        fc.asyncProperty(damaged, async (events) => {
          const session = (await serving(events)).open({ budget: { maxSteps: 3 } });
          let turn = await session.sendMessage('Go');
          for (let at = 0; turn.status === 'awaiting-input' && at < 5; at++) {
            for (const { id } of askedOf(session).slice(0, -1)) await session.approve(id);
            turn = await session.approve(askedOf(session)[0]!.id);
          }
          expect(['done', 'awaiting-input']).toContain(turn.status);
          expect(stored(stateOf(session))).toEqual(stateOf(session));
          await session.dispose();
        }),
        { numRuns, endOnFailure: true },
      );
    },
  );
});
