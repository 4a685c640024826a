import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createAgentSession } from '@vitrine/core';
import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { endOf, readOf } from '@vitrine/ag-ui/internal/observe/same-run.fixture';
import { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import { langGraphAgent } from '@vitrine/langgraph';
import {
  asked,
  interrupt,
  lifecycle,
  result,
  started,
  text,
  type Told,
  toolEvent,
  values,
} from './served-thread.fixture.ts';
import { threadStream } from './observe-lang-graph.ts';

const json = (body: object): Response => new Response(JSON.stringify(body));

/** The run as the agent over the server has it, which asks again when nobody has given it a result. */
async function readByAgent(events: readonly Told[]): Promise<State> {
  const log: object[] = [];
  let runs = 0;
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const { method, since = 0 } = JSON.parse(String(init?.body ?? '{}')) as {
      method?: string;
      since?: number;
    };
    if (String(url).endsWith('/state')) return json({ values: { messages: [] }, tasks: [], next: [] });
    if (String(url).endsWith('/stream/events')) {
      const sent = log.slice(since).map((event) => `data: ${JSON.stringify(event)}\n\n`);
      return new Response(sent.join(''));
    }
    const meta = { applied_through_seq: log.length };
    const run = runs === 0 ? events : [...text('later', ' '), lifecycle('completed')];
    if (method === 'run.start') {
      runs++;
      for (const event of run) log.push({ type: 'event', seq: log.length + 1, ...event });
    }
    return json({ type: 'success', id: 1, result: { run_id: 'r' }, meta });
  };
  const agent = langGraphAgent({ url: 'http://localhost/graph', fetch, budget: { maxSteps: 20 } });
  const session = createAgentSession({ agent, publish: 'immediate' });
  await session.sendMessage('Go');
  const { state } = session.store.getState();
  session.dispose();
  return state;
}

/** The run as the panel has it. */
function readByObserver(events: readonly Told[]): State {
  const session = new ObservedSession({ id: crypto.randomUUID(), name: 'watched' });
  const { journal } = sessionHub().sources().at(-1)!;
  session.begin([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]);
  const stream = threadStream(session, { known: [] }, []);
  for (const event of events) stream.take(event);
  stream.end({});
  session.leave();
  return journal.state();
}

const id = fc.constantFrom('m', 'n', 'o');
const call = fc.constantFrom('a', 'b', 'c');
const tool = fc.constantFrom('search', 'pay');
const output = fc.constantFrom<unknown>(
  'green',
  ['green'],
  null,
  { type: 'tool', content: 'told' },
  { type: 'tool', content: 'It broke.', status: 'error' },
  { update: { messages: [{ type: 'tool', content: 'of a command' }] } },
);
const below = { cause: { type: 'toolCall', tool_call_id: 'a' }, graph_name: 'writer' };
const messages = [
  { type: 'human', id: 'u', content: 'Go' },
  {
    type: 'ai',
    id: 'v',
    content: 'Told at once',
    tool_calls: [{ id: 'v1', name: 'search', args: { q: 1 } }],
  },
  { type: 'tool', id: 'w', tool_call_id: 'v1', content: 'found' },
  { type: 'ai', id: 'x', content: [{ type: 'text', text: 'Found it.' }] },
];
const fragment: fc.Arbitrary<readonly Told[]> = fc.oneof(
  {
    arbitrary: fc.tuple(id, fc.constantFrom('Hello', 'Hello there')).map(([of, said]) => text(of, said)),
    weight: 3,
  },
  {
    arbitrary: fc
      .tuple(fc.uniqueArray(call, { minLength: 1, maxLength: 2 }), tool)
      .map(([of, name]) => asked(of, name)),
    weight: 3,
  },
  fc.tuple(call, tool).map(([of, name]) => [started(of, name, [`tools:${of}`])]),
  {
    arbitrary: fc
      .tuple(call, output)
      .map(([tool_call_id, told]) => [toolEvent({ event: 'tool-finished', tool_call_id, output: told })]),
    weight: 3,
  },
  call.map((of) => [result(of)]),
  call.map((tool_call_id) => [toolEvent({ event: 'tool-error', tool_call_id, message: 'It broke.' })]),
  call.map((tool_call_id) => [toolEvent({ event: 'tool-output-delta', tool_call_id, delta: 'half' })]),
  fc.subarray(messages).map((some) => [values({ topic: 'tea', messages: some })]),
  fc.constantFrom<readonly Told[]>(
    [lifecycle('started', ['tools:a'], below)],
    text('below', 'A poem', ['tools:a', 'agent:1']),
    [lifecycle('completed', ['tools:a'])],
    [{ method: 'news', params: { namespace: [], data: {} } }],
    [{ method: 'custom', params: { namespace: [], data: {} } }],
  ),
);
const end = fc.constantFrom<readonly Told[]>(
  [lifecycle('completed')],
  [lifecycle('completed')],
  [lifecycle('failed', [], { error: 'It is gone.' })],
  [lifecycle('interrupted')],
  [interrupt('i', 'Sure?'), lifecycle('interrupted')],
  [interrupt('i', { action_requests: [{ name: 'pay', args: { q: 'tea' } }] }), lifecycle('interrupted')],
);
const run = fc
  .tuple(fc.array(fragment, { maxLength: 6 }), end, fc.option(fc.tuple(fc.nat(20), fc.nat(3))))
  .map(([parts, last, lost]): readonly Told[] => {
    const all = parts.flat();
    const [at, count] = lost ?? [0, 0];
    return [lifecycle('running'), ...all.slice(0, at), ...all.slice(at + count), ...last];
  });

it('the agent over a LangGraph server and the panel read the same texts, calls, results and end', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await fc.assert(
    fc.asyncProperty(run, async (events) => {
      const [agent, panel] = [await readByAgent(events), readByObserver(events)];
      // The agent leaves out what subagents say, and an interrupt of no call has a name of its own on each side.
      const asks = events.some(({ method }) => method === 'input.requested');
      const { event } = events.at(-1)!.params.data as { readonly event: string };
      const isWhole = event === 'completed' || (event === 'interrupted' && asks);
      const [{ calls: shown, ...words }, { calls, ...said }] = [told(panel, isWhole), told(agent, isWhole)];
      expect(words).toEqual(said);
      // The panel shows a subagent whose call is not told before under one of its own, named by its graph.
      const [own, below] = [shown.filter((one) => !isOfGraph(one)), shown.filter(isOfGraph)];
      const rest = [...calls];
      for (const one of own) expect(rest.splice(rest.indexOf(one), 1), one).toEqual([one]);
      expect(rest.length).toBeLessThanOrEqual(below.length);
      expect(endOf(panel)).toBe(endOf(agent));
    }),
    { numRuns: Number(process.env['PROVE_RUNS'] ?? 40) },
  );
}, 120_000);

function told(state: State, isWhole: boolean) {
  // The agent knows no subagents.
  const { calls, ...texts } = readOf(state, isWhole, true, false);
  const named = calls.map(({ call: [name, ...rest] }) =>
    name === 'question' || name === 'interrupt' ? ['question'] : [name, ...rest],
  );
  return { ...texts, calls: named.map((one) => JSON.stringify(one)) };
}

function isOfGraph(call: string): boolean {
  return call.startsWith('["writer"');
}

it('a graph that only returns messages has an answer, for the agent and in the panel', async () => {
  const events = [lifecycle('running'), values({ messages }), lifecycle('completed')];
  for (const state of [await readByAgent(events), readByObserver(events)])
    expect(readOf(state, true)).toMatchObject({
      said: 'Told at onceFound it.',
      calls: [{ call: ['search', { q: 1 }, 'completed', 'found'] }],
    });
});

it('a tool that asks waits itself, for the agent and in the panel', async () => {
  const at = ['tools:a'];
  const data = { interrupt_id: 'i', payload: { question: 'Pay 5?' } };
  const events = [
    lifecycle('running'),
    ...asked(['a'], 'pay'),
    started('a', 'pay', at),
    { method: 'input.requested', params: { namespace: at, data } },
    lifecycle('interrupted'),
  ];
  for (const state of [await readByAgent(events), readByObserver(events)])
    expect(AgentState.pendingApprovals(state)).toMatchObject([
      { toolCall: { name: 'pay' }, approval: { reason: 'Pay 5?' } },
    ]);
});

it('the panel shows what an agent in a tool says below the call, and the agent leaves it out', async () => {
  const events = [
    lifecycle('running'),
    ...asked(['a'], 'search'),
    started('a', 'search', ['tools:a']),
    ...text('below', 'A poem', ['tools:a', 'agent:1']),
    result('a', ['tools:a']),
    ...text('m', 'Here it is'),
    lifecycle('completed'),
  ];
  const [agent, panel] = [await readByAgent(events), readByObserver(events)];
  expect([readOf(agent, true).said, readOf(panel, true).said]).toEqual(['Here it is', 'Here it is']);
  expect(readOf(panel, true).calls[0]?.child).toMatchObject({ said: 'A poem' });
});
