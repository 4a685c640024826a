// @vitest-environment node
import {
  type AgentServerAdapter,
  Client,
  HttpAgentServerAdapter,
  type ThreadStream,
} from '@langchain/langgraph-sdk/client';
import { AgentState } from '@vitrine/core';
import { diagnose, runsOf } from '@vitrine/inspect';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, servedGraph } from './serve-langgraph.ts';
import {
  expectSound,
  goldenOf,
  recordEachTest,
  watchedRecord,
} from '../../packages/inspect/src/foreign/observed-journals.fixture.ts';
import { inOrder } from '../../bridges/langgraph/src/observe/in-order.ts';
import { observeLangGraph } from '../../bridges/langgraph/src/observe/index.ts';
import {
  asked,
  cut,
  interrupt,
  lifecycle,
  result,
  servedThread,
  started,
  text,
  type Told,
  toolEvent,
  values,
  whole,
} from '../../bridges/langgraph/src/observe/served-thread.fixture.ts';

/** A thread of the client as its quick start shows it, with the one line. */
async function threadOf(runs: readonly (readonly Told[])[]): Promise<ThreadStream> {
  return watchedThread(await servedThread(runs));
}

async function watchedThread(apiUrl: string): Promise<ThreadStream> {
  // Their class does not fit their type under `exactOptionalPropertyTypes`.
  const transport = observeLangGraph(new HttpAgentServerAdapter({ apiUrl }) as AgentServerAdapter);
  const client = new Client({ apiUrl });
  const thread = client.threads.stream(crypto.randomUUID(), { assistantId: 'agent', transport });
  onTestFinished(() => thread.close());
  await thread.subscribe(['messages', 'tools', 'values']);
  return thread;
}

async function say(thread: ThreadStream, content: string): Promise<void> {
  await thread.run.start({ input: { messages: [{ type: 'human', content }] } });
  await whenSettled();
}

/** Resolves when the run of the watched thread has ended, or waits. */
async function whenSettled(): Promise<void> {
  await vi.waitFor(
    () => {
      const { state } = watchedRecord();
      const isWaiting = AgentState.pendingApprovals(state).length > 0;
      expect(isWaiting || AgentState.status(state) !== 'in-progress').toBe(true);
      expect(AgentState.status(state)).not.toBeNull();
    },
    { timeout: 5000 },
  );
}

recordEachTest();

describe('a watched thread of LangGraph', () => {
  it('an answer of text is one step with the question', async () => {
    await say(await threadOf([whole(text('m', 'Hello there'))]), 'Hi');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(watchedRecord().state.context.metadata['skippedEvents']).toBeUndefined();
  });

  it('an answer that was cut says so, and what its provider tells of the stream is no event to skip', async () => {
    await say(await threadOf([whole(cut('m', 'It was a'))]), 'Tell');
    expect(AgentState.steps(watchedRecord().state)[0]?.inferenceResponse?.finishReason).toBe('length');
    expect(watchedRecord().state.context.metadata['skippedEvents']).toBeUndefined();
    expectSound(watchedRecord());
  });

  it('three steps with tools keep arguments and results of each call', async () => {
    const first = [...asked(['c1'], 'search'), started('c1', 'search'), result('c1')];
    const second = [...asked(['c2'], 'search'), started('c2', 'search'), result('c2')];
    await say(await threadOf([whole(first, second, text('m', 'Green tea.'))]), 'Find tea');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([3, 'completed']);
    expect(watchedRecord().knows).toEqual({ prompt: false, usage: true, times: false, results: true });
    expect(AgentState.usage(state)).toMatchObject({ inputTokens: 30, outputTokens: 15 });
    expect(AgentState.steps(state)[1]?.toolExecutions).toMatchObject([
      { toolCall: { name: 'search', input: { q: 'tea' }, providerCallId: 'c2' }, result: ['green'] },
    ]);
  });

  it('parallel calls stand in one step, a failed one beside the others', async () => {
    const calls = [
      ...asked(['a', 'b'], 'search'),
      started('a', 'search'),
      started('b', 'search'),
      toolEvent({ event: 'tool-output-delta', tool_call_id: 'b', delta: 'half' }),
      toolEvent({ event: 'tool-error', tool_call_id: 'b', message: 'It is broken.' }),
      result('a'),
    ];
    await say(await threadOf([whole(calls, text('m', 'One failed'))]), 'Go');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(diagnose(watchedRecord()).map(({ code }) => code)).toEqual(['call-failed']);
  });

  it('a call that a graph asks about waits for a person, and the same run goes on', async () => {
    const payload = { action_requests: [{ name: 'pay', args: {}, description: 'Pay 5?' }] };
    const asks = [...asked(['c'], 'pay'), interrupt('i', payload), lifecycle('interrupted')];
    const thread = await threadOf([asks, whole([started('c', 'pay'), result('c')], text('m', 'Paid'))]);
    await say(thread, 'Pay');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([
      { approval: { reason: 'Pay 5?' } },
    ]);
    expectSound(watchedRecord());
    const response = { decisions: [{ type: 'approve' }] };
    await thread.input.respond({ namespace: [], interrupt_id: 'i', response });
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(watchedRecord().state.executionCount).toBe(1);
  });

  // The server of the LangGraph CLI tells the beginning of the next run as `completed` then.
  it.each([
    ['running', 'running'],
    ['completed', 'completed'],
    ['nothing', null],
  ])(
    'an answer that comes before the end of the run that asked continues that run, which tells %s',
    async (_told, beginning) => {
      const payload = { action_requests: [{ name: 'pay', args: {}, description: 'Pay 5?' }] };
      const thread = await threadOf([
        [lifecycle('running'), ...asked(['c'], 'pay'), interrupt('i', payload)],
        [
          lifecycle('interrupted'),
          ...(beginning === null ? [] : [lifecycle(beginning)]),
          started('c', 'pay'),
          result('c'),
          ...text('m', 'Paid'),
          lifecycle('completed'),
        ],
      ]);
      await say(thread, 'Pay');
      const response = { decisions: [{ type: 'approve' }] };
      await thread.input.respond({ namespace: [], interrupt_id: 'i', response });
      await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
      expectSound(watchedRecord());
      expect(watchedRecord().state.executionCount).toBe(1);
      expect(AgentState.steps(watchedRecord().state)[0]?.toolExecutions).toMatchObject([
        { status: 'completed' },
      ]);
      expect(watchedRecord().state.context.metadata['skippedEvents']).toBeUndefined();
    },
  );

  it.each(['failed', 'completed', 'interrupted'])(
    'a run that the server begins with %s shows its own answer and end',
    async (beginning) => {
      const thread = await threadOf([
        [lifecycle('running'), lifecycle('failed', [], { error: 'It broke.' })],
        [lifecycle(beginning), ...text('m', 'Fine'), lifecycle('completed')],
      ]);
      await say(thread, 'Go');
      expect(AgentState.status(watchedRecord().state)).toBe('failed');
      await say(thread, 'Again');
      await vi.waitFor(() => expect(AgentState.finalResponse(watchedRecord().state)?.trim()).toBe('Fine'));
      await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
      expect(runsOf(watchedRecord())).toHaveLength(2);
      expect(watchedRecord().state.context.metadata['skippedEvents']).toBeUndefined();
      expectSound(watchedRecord());
    },
  );

  it('a message right behind a question begins a run of its own, whose answer stands under it', async () => {
    const thread = await threadOf([
      [lifecycle('running'), ...asked(['c'], 'pay'), interrupt('i', 'Really?')],
      [lifecycle('interrupted'), lifecycle('running'), ...text('m', 'Never mind'), lifecycle('completed')],
    ]);
    await say(thread, 'Pay');
    await thread.run.start({ input: { messages: [{ type: 'human', content: 'Do not' }] } });
    await vi.waitFor(() =>
      expect(AgentState.finalResponse(watchedRecord().state)?.trim()).toBe('Never mind'),
    );
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
    expect(runsOf(watchedRecord())).toHaveLength(2);
    expect(watchedRecord().state.context.metadata['skippedEvents']).toBeUndefined();
    expectSound(watchedRecord());
  });

  it('a graph that only returns messages shows them with their calls, once', async () => {
    const ai = {
      type: 'ai',
      id: 'a',
      content: '',
      tool_calls: [{ id: 'c', name: 'search', args: { q: 'tea' } }],
    };
    const messages = [
      { type: 'human', id: 'h', content: 'Tea?' },
      ai,
      { type: 'tool', id: 't', tool_call_id: 'c', content: 'green' },
      { type: 'ai', id: 'b', content: 'Green tea.' },
    ];
    const returned = [values({ messages: messages.slice(0, 2) }), values({ messages })];
    const thread = await threadOf([
      whole(returned),
      whole(text('b2', 'More'), [
        values({
          messages: [
            ...messages,
            { type: 'human', id: 'h2', content: 'And?' },
            { type: 'ai', id: 'b2', content: 'More' },
          ],
        }),
      ]),
    ]);
    await say(thread, 'Tea?');
    expect(AgentState.finalResponse(watchedRecord().state)).toBe('Green tea.');
    expect(AgentState.steps(watchedRecord().state)[0]?.toolExecutions).toMatchObject([
      { toolCall: { name: 'search', input: { q: 'tea' } }, result: 'green' },
    ]);
    await say(thread, 'And?');
    await vi.waitFor(() => expect(AgentState.finalResponse(watchedRecord().state)?.trim()).toBe('More'));
    expect(AgentState.stepCount(watchedRecord().state)).toBe(1);
    expectSound(watchedRecord());
  });

  it('any other interrupt waits as a call of its own, and the answer is its result', async () => {
    const asks = [interrupt('i', 'Which tea?'), lifecycle('interrupted')];
    const thread = await threadOf([asks, whole(text('m', 'Green it is'))]);
    await say(thread, 'Order');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([
      { approval: { reason: 'Which tea?' } },
    ]);
    await thread.input.respond({ namespace: [], interrupt_id: 'i', response: 'green' });
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
    expectSound(watchedRecord());
    expect(AgentState.steps(watchedRecord().state)[0]?.toolExecutions).toMatchObject([{ result: 'green' }]);
  });

  it('a thread that the page closes keeps what came', async () => {
    const thread = await threadOf([text('m', 'One two three')]);
    await thread.run.start({ input: { messages: 'none' } });
    await vi.waitFor(() => expect(JSON.stringify(watchedRecord().state)).toContain('three'));
    await thread.close();
    expect(AgentState.status(watchedRecord().state)).toBe('stopped');
    expectSound(watchedRecord());
  });

  it('an error fails the run with its message', async () => {
    const error = JSON.stringify({ error: 'Error', message: 'The upstream died.' });
    await say(await threadOf([[...text('m', 'Half'), lifecycle('failed', [], { error })]]), 'Go');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    expect(diagnose(watchedRecord()).map(({ code }) => code)).toEqual(['error-recorded']);
  });

  it('two turns of one thread are two runs of one session', async () => {
    const thread = await threadOf([
      whole(text('m', 'One')),
      whole(text('n', 'Two'), [values({ topic: 'tea' })]),
    ]);
    await say(thread, 'First');
    await say(thread, 'Second');
    expect(runsOf(watchedRecord()).map(({ request }) => request)).toEqual(['First', 'Second']);
    const roles = AgentState.messages(watchedRecord().state).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(watchedRecord().state.context.metadata['state']).toEqual({ topic: 'tea' });
    expectSound(watchedRecord());
  });

  it('a subagent stands under the call that started it', async () => {
    const own = ['tools:1'];
    const cause = { type: 'toolCall', tool_call_id: 'c' };
    const events = [
      ...asked(['c'], 'task'),
      started('c', 'task'),
      lifecycle('started', own, { graph_name: 'writer', cause }),
      ...asked(['d'], 'search', own),
      started('d', 'search', own),
      result('d', own),
      ...text('w', 'A poem', own),
      lifecycle('completed', own),
      result('c'),
    ];
    await say(await threadOf([whole(events, text('m', 'Here it is'))]), 'Write');
    expect(goldenOf(watchedRecord())).toMatchSnapshot();
    expectSound(watchedRecord());
    const child = AgentState.steps(watchedRecord().state)[0]!.toolExecutions[0]!.childState!;
    expect([AgentState.stepCount(child), AgentState.finalResponse(child)]).toEqual([2, 'A poem ']);
  });

  it('a command that the server refuses reaches the page as it was, and fails the run', async () => {
    const transport = observeLangGraph(
      new HttpAgentServerAdapter({ apiUrl: 'http://127.0.0.1:1', threadId: 't' }),
    );
    const command = { id: 1, method: 'run.start', params: { assistant_id: 'a', input: {} } } as const;
    await expect(transport.send(command)).rejects.toThrow('fetch failed');
    expect(AgentState.errors(watchedRecord().state)).toMatchObject([{ message: 'fetch failed' }]);
  });
});

describe('a watched thread of a server of LangGraph.js', () => {
  async function served(script: readonly Answer[], helped: readonly Answer[] = []): Promise<ThreadStream> {
    const { url } = await servedGraph(script, helped);
    return watchedThread(url);
  }

  it('an answer of text with its reasoning is one step with the question', async () => {
    await say(await served([{ reasoning: 'Hm', text: 'Hello there friend' }]), 'Hi');
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect(AgentState.messages(state).map(({ role, parts }) => [role, parts])).toMatchObject([
      ['user', [{ text: 'Hi' }]],
      [
        'assistant',
        [
          { type: 'reasoning', text: 'Hm' },
          { type: 'text', text: 'Hello there friend' },
        ],
      ],
    ]);
    expect(AgentState.usage(state)).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(state.context.metadata['skippedEvents']).toBeUndefined();
  });

  it('parallel calls and those of later steps keep arguments and results', async () => {
    const calls = ['double', 'bad'].map((name) => ({ name, input: { n: 1 } }));
    await say(await served([{ text: 'First', calls }, { calls: calls.slice(0, 1) }, { text: 'Done' }]), 'Go');
    expectSound(watchedRecord());
    const { state } = watchedRecord();
    expect(AgentState.steps(state).map(({ toolExecutions }) => toolExecutions)).toMatchObject([
      [
        { toolCall: { name: 'double', input: { n: 1 } }, result: '2' },
        { toolCall: { name: 'bad' }, status: 'failed' },
      ],
      [{ status: 'completed' }],
      [],
    ]);
    expect(state.context.metadata['skippedEvents']).toBeUndefined();
  });

  it('an interrupt waits for a person, and the run goes on with the answer', async () => {
    const thread = await served([{ calls: [{ name: 'pay', input: { n: 5 } }] }, { text: 'Paid' }]);
    await say(thread, 'Pay');
    expect(AgentState.pendingApprovals(watchedRecord().state)).toMatchObject([{ approval: {} }]);
    const [waiting] = thread.interrupts;
    await thread.input.respond({
      namespace: [],
      interrupt_id: waiting!.interruptId,
      response: 'yes',
    });
    await vi.waitFor(() => expect(AgentState.status(watchedRecord().state)).toBe('completed'));
    expectSound(watchedRecord());
    expect(AgentState.finalResponse(watchedRecord().state)).toBe('Paid');
  });

  it('an error fails the run, also without its message', async () => {
    await say(await served([{ text: 'Half', error: 'gone' }]), 'Go');
    expectSound(watchedRecord());
    expect(AgentState.status(watchedRecord().state)).toBe('failed');
    expect(AgentState.errors(watchedRecord().state)).toMatchObject([{ message: 'The stream failed.' }]);
  });
});

it('an unknown event is named once on the console and counted in the panel', async () => {
  const warn = vi
    .spyOn(console, 'warn')
    .mockReset()
    .mockImplementation(() => undefined);
  const news: Told = { method: 'news', params: { namespace: [], data: {} } };
  const told = [news, news, ...whole(text('m', 'Hi'))].map((event, seq) => ({
    type: 'event',
    seq,
    ...event,
  }));
  const adapter = observeLangGraph({
    threadId: crypto.randomUUID(),
    send: (_command: object) => Promise.resolve(undefined),
    async *events(): AsyncGenerator<unknown> {
      yield* told;
    },
    close: () => Promise.resolve(),
  });
  await adapter.send({
    method: 'run.start',
    params: { input: { messages: [{ type: 'human', content: 'Hi' }] } },
  });
  for await (const event of adapter.events()) expect(event).toBeDefined();
  await whenSettled();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('news. The chat is not affected')]]);
  expect(diagnose(watchedRecord())).toMatchObject([
    { code: 'events-skipped', severity: 'hint', evidence: { skipped: { news: 2 } } },
  ]);
});

it('events of any order and from several connections reach the page unchanged and give a sound journal', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const events = [
    ...whole(asked(['c', 'd'], 'search'), [started('c', 'search'), result('c')], text('m', 'Look there')),
    lifecycle('started', ['x'], { cause: { type: 'toolCall', tool_call_id: 'c' } }),
    ...text('w', 'Deep', ['x', 'y']),
    lifecycle('interrupted', ['x']),
    interrupt('i', { action_requests: [{ name: 'search' }] }),
    lifecycle('failed'),
    { method: 'news', params: { namespace: [], data: {} } },
  ].map((event, seq) => ({ type: 'event', event_id: String(seq), seq, ...event }));
  const odd = [null, 'text', { type: 'event' }, { type: 'event', method: 3, params: null }];
  const streams = fc.array(
    fc.oneof(
      fc.shuffledSubarray<unknown>([...events, ...odd]),
      fc.nat(events.length).map((length): unknown[] => events.slice(0, length)),
    ),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(streams, async (given) => {
      let next = 0;
      const adapter = observeLangGraph({
        threadId: crypto.randomUUID(),
        send: (_command: object) => Promise.resolve(undefined),
        async *events(): AsyncGenerator<unknown> {
          yield* given[next++] ?? [];
        },
        close: () => Promise.resolve(),
      });
      await adapter.send({
        method: 'run.start',
        params: { input: { messages: [{ type: 'human', content: 'Hi' }, null] } },
      });
      for (const sent of given) {
        const got: unknown[] = [];
        for await (const event of adapter.events()) got.push(event);
        expect(got).toEqual(sent);
      }
      await adapter.send({ method: 'input.respond', params: { interrupt_id: 'i', response: null } });
      await adapter.close();
      const { state } = watchedRecord();
      expect(['completed', 'stopped', 'failed']).toContain(AgentState.status(state));
      expect(AgentState.toJSON(AgentState.fromJSON(AgentState.toJSON(state)))).toEqual(
        AgentState.toJSON(state),
      );
    }),
    { numRuns: 60 },
  );
});

it('events that several connections tell are told once, in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30), { maxLength: 60 }), (numbers) => {
      const told: unknown[] = [];
      const order = inOrder(
        ({ seq }) => told.push(seq),
        () => false,
      );
      for (const seq of numbers) order.take({ event_id: `event ${seq}`, seq });
      order.flush();
      expect(told).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    }),
  );
});
