import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createAgentSession } from '@vitrine/core';
import { aguiAgent } from '@vitrine/ag-ui';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import { eventStream } from './event-stream.ts';
import { endOf, readOf } from './same-run.fixture.ts';

type Given = { readonly type: string; readonly [field: string]: unknown };

const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const cancelled = { type: 'cancelled' };
const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };
/** The answer to a second request, which the agent makes when nobody has given it a result. */
const later = [started, { type: 'TEXT_MESSAGE_CONTENT', messageId: 'later', delta: ' ' }, finished];

/** The run as the agent over the backend has it. */
async function readByAgent(events: readonly Given[]): Promise<State> {
  let asked = 0;
  const fetch = async (): Promise<Response> => {
    const sent = asked++ === 0 ? [started, ...events] : later;
    return new Response(sent.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  };
  const agent = aguiAgent({ url: 'http://localhost/agent', fetch, budget: { maxSteps: 20 } });
  const session = createAgentSession({ agent, publish: 'immediate' });
  await session.sendMessage('Go');
  const { state } = session.store.getState();
  session.dispose();
  return state;
}

/** The run as the panel has it. */
function readByObserver(events: readonly Given[]): State {
  const session = new ObservedSession({ id: crypto.randomUUID(), name: 'watched' });
  const { journal } = sessionHub().sources().at(-1)!;
  session.begin([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]);
  const stream = eventStream(session, ['u']);
  for (const event of [started, ...events]) stream.take(event);
  stream.end({});
  session.leave();
  return journal.state();
}

const messageId = fc.constantFrom('m', 'n', '');
const callId = fc.constantFrom('a', 'b', 'c', '');
const owner = fc.constantFrom({}, {}, {}, { subagentRunId: 's' }, { subagentRunId: 'nobody' });
const delta = fc.constantFrom('x', 'Hello', '{"q":', '1}', '', 7);
const content = fc.constantFrom(
  'green',
  '["green"]',
  '{"error":"It broke."}',
  '',
  5,
  { a: 1 },
  ['b'],
  [{ type: 'text', text: 'part' }],
);
const failed = [
  { metadata: { vitrine: { outcome: 'failed' } } },
  { metadata: { vitrine: { outcome: 'rejected' } } },
  { metadata: { tanstack: { state: 'output-error' } } },
  { error: 'It broke.' },
];
const event = (type: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<readonly Given[]> =>
  fc.tuple(fc.record(fields), owner).map(([own, by]) => [{ type, ...own, ...by } as Given]);
const wholeCall = fc.tuple(callId, fc.constantFrom('search', 'pay'), owner).map(
  ([toolCallId, name, by]) =>
    [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: name, ...by },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"q":1}', ...by },
      { type: 'TOOL_CALL_END', toolCallId, ...by },
    ] as readonly Given[],
);
const result = fc
  .tuple(callId, content, fc.constantFrom({}, {}, ...failed), owner)
  .map(([toolCallId, said, how, by]): readonly Given[] => [
    { type: 'TOOL_CALL_RESULT', toolCallId, content: said, ...how, ...by },
  ]);
const snapshot = fc
  .subarray([
    { id: 'u', role: 'user', content: 'Go' },
    { id: 'n', role: 'assistant', content: 'Told at once', toolCalls: [] },
    { id: 'k', role: 'assistant', toolCalls: [{ id: 'k1', function: { name: 'search', arguments: '{}' } }] },
    { id: 'r', role: 'tool', toolCallId: 'k1', content: 'found' },
  ])
  .map((messages): readonly Given[] => [{ type: 'MESSAGES_SNAPSHOT', messages }]);
const role = fc.constantFrom('assistant', 'system', 'user', 'developer', 'robot');
const fragment = fc.oneof(
  { arbitrary: event('TEXT_MESSAGE_CONTENT', { messageId, delta }), weight: 3 },
  event('TEXT_MESSAGE_START', { messageId, role }),
  event('TEXT_MESSAGE_END', { messageId }),
  event('TEXT_MESSAGE_CHUNK', { messageId, delta }),
  event('REASONING_MESSAGE_CONTENT', { messageId, delta }),
  event('THINKING_TEXT_MESSAGE_CONTENT', { delta }),
  { arbitrary: wholeCall, weight: 3 },
  { arbitrary: result, weight: 4 },
  event('TOOL_CALL_START', { toolCallId: callId, toolCallName: fc.constantFrom('search', 'pay') }),
  event('TOOL_CALL_ARGS', { toolCallId: callId, delta }),
  event('TOOL_CALL_END', { toolCallId: callId }),
  event('TOOL_CALL_CHUNK', { toolCallId: callId, toolCallName: fc.constantFrom('search', undefined), delta }),
  event('STATE_SNAPSHOT', { snapshot: fc.constant({ a: 1 }) }),
  event('CUSTOM', { name: fc.constant('news'), value: fc.constant(1) }),
  fc.constantFrom('NEWS', 'constructor', 'RAW').map((type): readonly Given[] => [{ type }]),
  snapshot,
  fc
    .tuple(fc.constantFrom('a', 'b', 'zz', undefined), fc.constantFrom('s', 't'))
    .map(([parentToolCallId, subagentRunId]): readonly Given[] => [
      { type: 'SUBAGENT_STARTED', subagentRunId, name: 'writer', parentToolCallId },
    ]),
  fc
    .constantFrom('SUBAGENT_FINISHED', 'SUBAGENT_ERROR')
    .map((type): readonly Given[] => [{ type, subagentRunId: 's', result: 'A poem', message: 'No ink.' }]),
);
const interrupts = fc.constantFrom(
  [{ id: 'i', reason: 'question', message: 'Sure?' }],
  [{ id: 'i', reason: 'question', message: 'Sure?', toolCallId: 'a' }],
);
const end = fc.oneof(
  { arbitrary: fc.constant<readonly Given[]>([finished]), weight: 4 },
  interrupts.map((asked): readonly Given[] => [
    { ...finished, outcome: { type: 'interrupt', interrupts: asked } },
  ]),
  fc.constantFrom<readonly Given[]>(
    [{ type: 'RUN_ERROR', message: 'It is gone.' }],
    [{ ...finished, outcome: cancelled }],
    [],
  ),
);
/** The events with the ends of the subagents that are at work: a run that ends before them has no one meaning. */
function withEnds(events: readonly Given[]): readonly Given[] {
  const open = new Set<unknown>();
  for (const { type, subagentRunId } of events)
    if (type === 'SUBAGENT_STARTED') open.add(subagentRunId);
    else if (type === 'SUBAGENT_FINISHED' || type === 'SUBAGENT_ERROR') open.delete(subagentRunId);
  return [
    ...events,
    ...Array.from(open, (subagentRunId) => ({
      type: 'SUBAGENT_FINISHED',
      subagentRunId,
      result: 'It is done.',
    })),
  ];
}

/** The events without results that come before their call: some readers still know them when it comes. */
function inTurn(events: readonly Given[]): readonly Given[] {
  const isStart = ({ type }: Given): boolean => type === 'TOOL_CALL_START' || type === 'TOOL_CALL_CHUNK';
  return events.filter(({ type, toolCallId }, at) => {
    const first = events.findIndex((one) => isStart(one) && one['toolCallId'] === toolCallId);
    return type !== 'TOOL_CALL_RESULT' || first < at;
  });
}

const run = fc
  .tuple(fc.array(fragment, { maxLength: 10 }), end, fc.option(fc.nat(20)))
  .map(([parts, last, cut]) => {
    const events = [...withEnds(inTurn(parts.flat())), ...last];
    return cut === null ? events : events.slice(0, cut);
  });

it('the agent over a backend and the panel read the same texts, calls, results and end', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await fc.assert(
    fc.asyncProperty(run, async (events) => {
      const [agent, panel] = [await readByAgent(events), readByObserver(events)];
      // The panel keeps calls that were cut off, and the loop forgets them.
      const isWhole = events.some(({ type, outcome }) => type === 'RUN_FINISHED' && outcome !== cancelled);
      // A subagent ends a step of the loop, so that texts of two messages that take turns stand in another order.
      const isOrdered = !events.some(({ type }) => type === 'SUBAGENT_STARTED');
      expect(readOf(panel, isWhole, isOrdered)).toEqual(readOf(agent, isWhole, isOrdered));
      expect(endOf(panel)).toBe(endOf(agent));
    }),
    { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
  );
}, 120_000);

const asks = [
  { type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'search' },
  { type: 'TOOL_CALL_END', toolCallId: 'a' },
];
const resultWith = (fields: object): Given => ({ type: 'TOOL_CALL_RESULT', toolCallId: 'a', ...fields });
const note = (type: string, fields: object = {}): Given => ({
  type: `TEXT_MESSAGE_${type}`,
  messageId: 'n',
  ...fields,
});

it.each<readonly [string, readonly Given[], object]>([
  [
    'an answer that a snapshot alone tells is said',
    [{ type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'n', role: 'assistant', content: 'At once' }] }, finished],
    { said: 'At once' },
  ],
  [
    'a text of the system is no answer',
    [note('START', { role: 'system' }), note('CONTENT', { delta: 'A note' }), note('END'), finished],
    { said: '' },
  ],
  [
    'a call that a person rejected elsewhere has no result',
    [...asks, resultWith({ content: 'No money', metadata: { vitrine: { outcome: 'rejected' } } }), finished],
    { calls: [{ call: ['search', {}, 'failed', 'No money'] }] },
  ],
  [
    'a result with an error is a failed call',
    [...asks, resultWith({ content: '', error: 'It broke.' }), finished],
    { calls: [{ call: ['search', {}, 'failed', 'It broke.'] }] },
  ],
  [
    'a result that is no text stays as it is',
    [...asks, resultWith({ content: { found: [1] } }), finished],
    { calls: [{ call: ['search', {}, 'completed', { found: [1] }] }] },
  ],
  [
    'a call whose end is not told ends with the run',
    [asks[0]!, { type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta: '{"q":1}' }, finished],
    { calls: [{ call: ['search', { q: 1 }, 'open'] }] },
  ],
  [
    'the result of a subagent is that of its call',
    [
      ...asks,
      { type: 'SUBAGENT_STARTED', subagentRunId: 's', name: 'writer', parentToolCallId: 'a' },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 's', result: 'A poem' },
      finished,
    ],
    { calls: [{ call: ['search', {}, 'completed', 'A poem'] }] },
  ],
  [
    'a subagent whose result is told before another call is whole stays the one of its call',
    [
      ...asks,
      { ...asks[0]!, toolCallId: 'c' },
      { type: 'SUBAGENT_STARTED', subagentRunId: 's', name: 'writer', parentToolCallId: 'a' },
      resultWith({ content: 'green' }),
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"q":1}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      finished,
    ],
    {
      calls: [
        { call: ['search', {}, 'completed', 'green'], child: { calls: [] } },
        { call: ['search', { q: 1 }, 'open'], child: null },
      ],
    },
  ],
])('%s, for the agent and in the panel', async (_title, events, expected) => {
  for (const state of [await readByAgent(events), readByObserver(events)])
    expect(readOf(state, true)).toMatchObject(expected);
});

it('a run that is cancelled where it ran has no whole answer, for the agent and in the panel', async () => {
  const events = [note('CONTENT', { delta: 'Half' }), { ...finished, outcome: cancelled }];
  for (const state of [await readByAgent(events), readByObserver(events)]) {
    expect(readOf(state, false).said).toBe('Half');
    expect(endOf(state)).toBe('broken off');
  }
});
