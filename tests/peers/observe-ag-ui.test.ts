// @vitest-environment node
import { HttpAgent } from '@ag-ui/client';
import { AgentState } from '@vitrine/core';
import { diagnose, runsOf } from '@vitrine/inspect';
import * as zero from 'ag-ui-client-0';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  expectSound,
  goldenOf,
  recordEachTest,
  watchedRecord,
} from '../../packages/inspect/src/foreign/observed-journals.fixture.ts';
import { observeAgUi } from '../../bridges/ag-ui/src/observe/index.ts';
import {
  asked,
  closeServers,
  delegated,
  result,
  type Served,
  serveRuns,
  success,
  text,
} from '../../bridges/ag-ui/src/observe/served-events.fixture.ts';

type Client = { readonly HttpAgent: typeof HttpAgent };

const versions = [
  ['1.0', { HttpAgent }],
  ['0.0.59', zero as unknown as Client],
] as const;

/** An agent of the client as its quick start shows it, with the one line. */
async function agentOf(runs: readonly (readonly Served[])[], client: Client): Promise<HttpAgent> {
  const url = await serveRuns(runs);
  return observeAgUi(new client.HttpAgent({ url, threadId: `thread ${crypto.randomUUID()}` }));
}

async function say(agent: HttpAgent, content: string): Promise<void> {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  await agent.runAgent().catch(() => undefined);
}

recordEachTest();
closeServers();
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));

describe.each(versions)('an agent of AG-UI %s', (_version, client) => {
  it('an answer of text is one step with the question', async () => {
    const agent = await agentOf([[...text('m', 'Hello there'), success]], client);
    await say(agent, 'Hi');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: false, times: false, results: true });
    expect(AgentState.messages(watchedRecord().state).map(({ role }) => role)).toEqual(
      agent.messages.map(({ role }) => role),
    );
  });

  it('three steps with tools keep arguments and results of each call', async () => {
    const calls = [...asked('c1', 'search'), result('c1'), ...asked('c2', 'search'), result('c2')];
    await say(await agentOf([[...calls, ...text('m', 'Green tea.'), success]], client), 'Find tea');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([3, 'completed']);
    expect(AgentState.steps(state)[1]?.toolExecutions).toMatchObject([
      { toolCall: { name: 'search', input: { q: 'tea' }, providerCallId: 'c2' }, result: ['green'] },
    ]);
    expect(AgentState.finalResponse(state)).toBe('Green tea. ');
  });

  it('parallel calls stand in one step', async () => {
    const calls = [...asked('a', 'search'), ...asked('b', 'search'), result('b'), result('a')];
    await say(await agentOf([[...calls, ...text('m', 'Done'), success]], client), 'Go');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const counts = AgentState.steps(watchedRecord().state).map(({ toolExecutions }) => toolExecutions.length);
    expect(counts).toEqual([2, 0]);
  });

  it.each([true, false])(
    'an interrupt waits for a person, who says %s, and the run goes on',
    async (approved) => {
      const interrupts = [{ id: 'i', reason: 'tool_call', message: 'Pay 5?', toolCallId: 'c' }];
      const asks = [
        ...asked('c', 'pay'),
        { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } },
      ];
      const paid = approved ? [result('c'), ...text('m', 'Paid'), success] : [...text('m', 'Well'), success];
      const agent = await agentOf([asks, paid], client);
      await say(agent, 'Pay');
      expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([
        { approval: { reason: 'Pay 5?' } },
      ]);
      expectSound(watchedRecord());
      await agent.runAgent({ resume: [{ interruptId: 'i', status: 'resolved', payload: { approved } }] });
      expect(goldenOf(watchedRecord())).toMatchSnapshot();
      expectSound(watchedRecord());
      expect([watchedRecord().state.executionCount, AgentState.status(watchedRecord().state)]).toEqual([
        1,
        'completed',
      ]);
    },
  );

  it('an interrupt without a call waits under its reason, and its answer is its result', async () => {
    const interrupts = [{ id: 'i', reason: 'input_required', message: 'Which tea?' }];
    const asks = [
      ...text('m', 'A question'),
      { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } },
    ];
    const agent = await agentOf([asks, [...text('n', 'Green it is'), success]], client);
    await say(agent, 'Order');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toHaveLength(1);
    await agent.runAgent({ resume: [{ interruptId: 'i', status: 'resolved', payload: 'green' }] });
    expectSound(watchedRecord());
    const [step] = AgentState.steps(watchedRecord().state);
    expect(step?.toolExecutions).toMatchObject([{ toolCall: { name: 'input_required' }, result: 'green' }]);
    expect(AgentState.status(watchedRecord().state)).toBe('completed');
  });

  it('a call that the page runs waits for its result', async () => {
    const agent = await agentOf(
      [
        [...asked('c', 'open'), success],
        [...text('m', 'Open'), success],
      ],
      client,
    );
    await say(agent, 'Open it');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toHaveLength(1);
    agent.addMessage({ id: 'r', role: 'tool', toolCallId: 'c', content: '"opened"' });
    await agent.runAgent();
    expectSound(watchedRecord());
    const [step] = AgentState.steps(watchedRecord().state);
    expect(step?.toolExecutions).toMatchObject([{ status: 'completed', result: 'opened' }]);
    expect(watchedRecord().state.executionCount).toBe(1);
  });

  it('a run that a person aborts keeps what came, and says who stopped it', async () => {
    const agent = await agentOf([[...text('m', 'One two three'), 'hold']], client);
    const said = say(agent, 'Count');
    await vi.waitFor(() => expect(JSON.stringify(agent.messages)).toContain('three'));
    agent.abortRun();
    await said;
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('stopped'));
    expect(AgentState.stopReason(watchedRecord().state)).toBe('user-requested');
    expect(JSON.stringify(AgentState.steps(watchedRecord().state)[0]?.outputMessages)).toContain('three');
    expectSound(watchedRecord());
  });

  it('an error fails the run with its message', async () => {
    const events = [...text('m', 'Half'), { type: 'RUN_ERROR', message: 'The upstream died.' }];
    await say(await agentOf([events], client), 'Go');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(diagnose(watchedRecord()).map(({ code }) => code)).toEqual(['error-recorded']);
  });

  it('two turns of one thread are two runs of one session', async () => {
    const first = [...asked('c', 'search'), result('c'), ...text('m', 'One'), success];
    const agent = await agentOf([first, [...text('n', 'Two'), success]], client);
    await say(agent, 'First');
    await say(agent, 'Second');
    expect(runsOf(watchedRecord()).map(({ request }) => request)).toEqual(['First', 'Second']);
    const roles = AgentState.messages(watchedRecord().state).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant']);
    expectSound(watchedRecord());
  });

  it('the usage of a run is known when it has one step', async () => {
    const usage = [{ model: 'm', inputTokens: 9, outputTokens: 4, cachedInputTokens: 2 }];
    const ends = { ...success, usage };
    const agent = await agentOf(
      [
        [...text('m', 'One'), ends],
        [...asked('c', 'search'), result('c'), ...text('n', 'Two'), ends],
      ],
      { HttpAgent },
    );
    await say(agent, 'First');
    expect(watchedRecord().knows?.usage).toBe(true);
    expect(AgentState.usage(watchedRecord().state)).toMatchObject({ inputTokens: 9, cacheReadTokens: 2 });
    await say(agent, 'Second');
    expect(watchedRecord().knows?.usage).toBe(false);
  });

  it('a subagent stands under the call that started it', async () => {
    await say(await agentOf([delegated], client), 'Write');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const child = AgentState.steps(watchedRecord().state)[0]!.toolExecutions[0]!.childState!;
    expect([AgentState.stepCount(child), AgentState.finalResponse(child)]).toEqual([2, 'A poem ']);
  });

  it('a subagent that fails shows its message, and the run goes on', async () => {
    const started = { type: 'SUBAGENT_STARTED', subagentRunId: 's', name: 'writer' };
    const failed = { type: 'SUBAGENT_ERROR', subagentRunId: 's', message: 'No ink.' };
    const events = [
      started,
      ...text('w', 'Half', { subagentRunId: 's' }),
      failed,
      ...text('m', 'Sorry'),
      success,
    ];
    await say(await agentOf([events], client), 'Write');
    const [step] = AgentState.steps(watchedRecord().state);
    expect(step?.toolExecutions).toMatchObject([{ status: 'failed', error: { message: 'No ink.' } }]);
    expect(AgentState.status(watchedRecord().state)).toBe('completed');
    expectSound(watchedRecord());
  });

  it('a call of a subagent waits for a person, and the same subagent goes on', async () => {
    const own = { subagentRunId: 's' };
    const started = { type: 'SUBAGENT_STARTED', ...own, name: 'writer', parentToolCallId: 'c' };
    const interrupts = [{ id: 'i', reason: 'tool_call', toolCallId: 'd', ...own }];
    const asks = [
      ...asked('c', 'delegate'),
      started,
      ...asked('d', 'print', own),
      { type: 'SUBAGENT_FINISHED', ...own, outcome: { type: 'suspended', interruptIds: ['i'] } },
      { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } },
    ];
    const goesOn = [
      started,
      result('d', own),
      ...text('w', 'Printed', own),
      { type: 'SUBAGENT_FINISHED', ...own },
      result('c'),
      ...text('m', 'There'),
      success,
    ];
    const agent = await agentOf([asks, goesOn], client);
    await say(agent, 'Print');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([
      { toolCall: { name: 'print' } },
    ]);
    expectSound(watchedRecord());
    await agent.runAgent({ resume: [{ interruptId: 'i', status: 'resolved', payload: { approved: true } }] });
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect([state.executionCount, AgentState.status(state)]).toEqual([1, 'completed']);
    const child = AgentState.steps(state)[0]!.toolExecutions[0]!.childState!;
    expect([AgentState.stepCount(child), AgentState.status(child)]).toEqual([2, 'completed']);
  });

  it('a shared state stands in the metadata', async () => {
    const changes = [
      { type: 'STATE_SNAPSHOT', snapshot: { steps: 1 } },
      { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/steps', value: 2 }] },
    ];
    await say(await agentOf([[...changes, ...text('m', 'Done'), success]], client), 'Go');
    expect(watchedRecord().state.context.metadata['state']).toEqual({ steps: 2 });
  });

  it('a message of the server that is no answer joins the conversation', async () => {
    const note = text('n', 'A note').map((event) => ('role' in event ? { ...event, role: 'system' } : event));
    await say(await agentOf([[...note, ...text('m', 'Done'), success]], client), 'Go');
    const roles = AgentState.messages(watchedRecord().state).map(({ role }) => role);
    expect(roles).toEqual(['user', 'system', 'assistant']);
    expectSound(watchedRecord());
  });

  it('two clones of an agent are watched apart', async () => {
    const agent = await agentOf([['hold'], [...text('m', 'Two'), success]], client);
    const other = agent.clone();
    other.threadId = `other ${crypto.randomUUID()}`;
    const first = say(agent, 'First');
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('in-progress'));
    await say(other, 'Second');
    expect(AgentState.finalResponse(watchedRecord().state)).toBe('Two ');
    agent.abortRun();
    await first;
  });

  it.each([
    ['ends without its end', []],
    ['has an event in the wrong order', [result('zz'), success]],
    ['repeats an id', [...asked('c', 'search'), ...asked('c', 'search'), result('c'), success]],
    ['has an unknown event', [{ type: 'NEWS' }, success]],
    ['has an event of an unknown subagent', [...text('n', 'x', { subagentRunId: 'zz' }), success]],
  ] as const)('a stream that %s reaches the page as without the bridge', async (_what, rest) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const events = [...text('m', 'Half'), ...rest] as readonly Served[];
    const run = async (wrap: (agent: HttpAgent) => HttpAgent): Promise<unknown> => {
      const agent = wrap(new client.HttpAgent({ url: await serveRuns([events]), threadId: 'damaged' }));
      agent.addMessage({ id: 'u', role: 'user', content: 'Go' });
      const outcome = await agent.runAgent({ runId: 'r' }).then(
        ({ newMessages }) => newMessages,
        (thrown: Error) => thrown.message,
      );
      return { outcome, messages: agent.messages };
    };
    expect(await run(observeAgUi)).toEqual(await run((agent) => agent));
    expectSound(watchedRecord());
    expect(['completed', 'stopped', 'failed']).toContain(AgentState.status(watchedRecord().state));
  });
});

it('any order of events gives a sound journal, and no error reaches the agent', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const interrupts = [{ id: 'i', reason: 'ask', toolCallId: 'c' }, { id: 'j' }, null];
  const whole = [
    ...text('m', 'Look there'),
    ...delegated.slice(0, -1),
    { type: 'SUBAGENT_FINISHED', subagentRunId: 's', outcome: { type: 'suspended' } },
    {
      type: 'SUBAGENT_STARTED',
      subagentRunId: 't',
      name: 'deep',
      parentSubagentRunId: 's',
      parentToolCallId: 'd',
    },
    ...text('x', 'Deep', { subagentRunId: 't' }),
    { type: 'NEWS' },
    { type: 'STATE_SNAPSHOT', snapshot: 2n },
    { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } },
    { type: 'RUN_ERROR' },
    success,
  ];
  const odd = [null, 'text', { type: 3 }, { type: 'TOOL_CALL_ARGS' }, { type: 'constructor' }];
  type Subscriber = { [method: string]: (told: object) => unknown };
  const events = fc.oneof(
    fc.shuffledSubarray(whole),
    fc.nat(whole.length).map((end) => whole.slice(0, end)),
    fc.array(fc.constantFrom(...whole, ...odd), { maxLength: 40 }),
  );
  const resume = [{ interruptId: 'i', status: 'resolved' }, { interruptId: 'j', status: 'cancelled' }, null];
  await fc.assert(
    fc.asyncProperty(fc.array(events, { minLength: 1, maxLength: 2 }), async (runs) => {
      let subscriber: Subscriber = {};
      const threadId = crypto.randomUUID();
      observeAgUi({ threadId, subscribe: (given: never) => void (subscriber = given) });
      for (const run of runs) {
        const messages = [{ id: 'u', role: 'user', content: 'Hi' }, null];
        const input = { threadId, resume };
        expect(subscriber['onRunInitialized']!({ messages, input })).toBeUndefined();
        for (const event of run) expect(subscriber['onEvent']!({ event, input })).toBeUndefined();
        expect(subscriber['onRunFinalized']!({ input })).toBeUndefined();
      }
      const { state } = watchedRecord();
      expect(AgentState.toJSON(AgentState.fromJSON(AgentState.toJSON(state)))).toEqual(
        AgentState.toJSON(state),
      );
    }),
    { numRuns: 80 },
  );
});

it('an unknown event is named once on the console and counted in the panel', () => {
  const warn = vi
    .spyOn(console, 'warn')
    .mockReset()
    .mockImplementation(() => undefined);
  let subscriber: { [method: string]: (told: object) => unknown } = {};
  observeAgUi({ threadId: crypto.randomUUID(), subscribe: (given: never) => void (subscriber = given) });
  const input = {};
  subscriber['onRunInitialized']!({ input, messages: [] });
  for (const event of [{ type: 'NEWS' }, { type: 'NEWS' }, ...text('m', 'Hi'), success])
    subscriber['onEvent']!({ event, input });
  expect(warn.mock.calls).toEqual([[expect.stringContaining('"agent": NEWS. The chat is not affected')]]);
  expect(diagnose(watchedRecord())).toMatchObject([
    { code: 'events-skipped', severity: 'hint', evidence: { skipped: { NEWS: 2 } } },
  ]);
});
