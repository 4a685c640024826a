import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { answerCall } from '@vitrine/core/internal/run/answer-call';
import { createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { diagnose } from './diagnose.ts';
import { type SeededFault, type SeededRun, testSeededFaults } from './seeded-faults.fixture.ts';

const calling = (name: string, input: JsonValue = {}, times = 1): SeededRun['script'] => [
  { toolCalls: Array.from({ length: times }, () => ({ name, input })) },
  { text: 'Done.' },
];
const search = fakeTool('search', ['one', 'two']);
const before = (name: string, run: Parameters<typeof defineHook>[0]['run']) =>
  defineHook({ name, on: 'before-tool-use', run });
const after = (name: string, run: Parameters<typeof defineHook>[0]['run']) =>
  defineHook({ name, on: 'after-tool-use', run });
const healthy: SeededRun = { script: calling('search', { q: 'a' }), init: { tools: [search] } };

const book = defineTool({
  name: 'book',
  description: 'Books a table.',
  input: z.object({
    people: z.coerce.number(),
    note: z.string().default('none'),
    window: z.coerce.boolean().optional(),
  }),
  execute: () => 'booked',
});
const pages = defineTool({
  name: 'list',
  description: 'Lists orders.',
  input: z.object({ cursor: z.string().optional() }),
  execute: ({ cursor }) => (cursor === undefined ? { rows: [1], nextCursor: 'p2' } : { rows: [2] }),
});
const slow = (ms: number) => (env: { advance: (ms: number) => void }) => ({
  tools: [
    fakeTool('search', async () => {
      await Promise.resolve();
      env.advance(ms);
      return 1;
    }),
  ],
});
const blocking = (ms: number) => (env: { advance: (ms: number) => void }) => ({
  tools: [
    fakeTool('search', () => {
      env.advance(ms);
      return 1;
    }),
  ],
});
const alike = (first: string, second: string) => ({
  tools: [
    { ...fakeTool('find_order', 1), description: first },
    { ...fakeTool('find_invoice', 1), description: second },
  ],
});
const both: SeededRun['script'] = [
  { toolCalls: [{ name: 'find_order', input: { id: 7 } }] },
  { toolCalls: [{ name: 'find_invoice', input: { id: 7 } }] },
  { text: 'Found.' },
];

const faults: readonly SeededFault[] = [
  {
    code: 'arguments-changed',
    fault: {
      script: calling('book', { people: 2, window: 'false', smoking: true }),
      init: { tools: [book] },
    },
    twin: { script: calling('book', { people: 2, note: 'none', window: true }), init: { tools: [book] } },
    says: /dropped "smoking", changed "window" and added "note"/,
    severity: 'hint',
  },
  {
    code: 'arguments-changed',
    fault: { script: calling('book', { people: 2, smoking: true }), init: { tools: [book] } },
    // A default, and a value of equal meaning.
    twin: { script: calling('book', { people: ' 2 ' }), init: { tools: [book] } },
    says: /dropped "smoking"/,
    severity: 'hint',
  },
  {
    code: 'result-says-error',
    fault: { script: calling('search', {}, 2), init: { tools: [fakeTool('search', { ok: false })] } },
    twin: { script: calling('search'), init: { tools: [fakeTool('search', { ok: true, error: null })] } },
    says: /2 results of tool "search" say "ok: false" as a value/,
    severity: 'hint',
  },
  {
    code: 'result-says-error',
    fault: { script: calling('search'), init: { tools: [fakeTool('search', { status: 401 })] } },
    twin: {
      script: calling('search'),
      init: { tools: [fakeTool('search', { status: 'open', errors: [] })] },
    },
    says: /"status: 401"/,
  },
  {
    code: 'pages-unread',
    fault: { script: calling('list'), init: { tools: [pages] } },
    twin: {
      script: [
        { toolCalls: [{ name: 'list', input: {} }] },
        { toolCalls: [{ name: 'list', input: { cursor: 'p2' } }] },
        { text: 'Done.' },
      ],
      init: { tools: [pages] },
    },
    says: /said that there is more, and the model did not ask/,
    severity: 'hint',
  },
  {
    code: 'call-changed',
    fault: {
      ...healthy,
      init: {
        tools: [search],
        hooks: [
          before('cleaner', (_state, ctx) =>
            ctx.replace('toolCall', { ...ctx.fields.toolCall!, input: { q: 'b' } }),
          ),
        ],
      },
    },
    twin: { ...healthy, init: { tools: [search], hooks: [before('cleaner', () => undefined)] } },
    says: /Hook "cleaner" replaced the arguments of the call of "search"/,
  },
  {
    code: 'tool-result-changed',
    fault: {
      ...healthy,
      init: {
        tools: [search],
        hooks: [
          after('trimmer', (_state, ctx) =>
            ctx.replace('execution', { ...ctx.fields.execution!, result: ['one'] }),
          ),
        ],
      },
    },
    twin: { ...healthy, init: { tools: [search], hooks: [after('trimmer', () => undefined)] } },
    says: /Hook "trimmer" replaced the result of tool "search"/,
  },
  {
    code: 'tool-result-changed',
    fault: {
      ...healthy,
      init: {
        tools: [fakeTool('search', () => Promise.reject(new Error('down')))],
        hooks: [
          after('optimist', (_state, ctx) =>
            ctx.replace('execution', {
              ...ctx.fields.execution!,
              status: 'completed',
              result: [],
              error: null,
            }),
          ),
        ],
      },
    },
    twin: healthy,
    says: /Hook "optimist" turned the error of tool "search" into a success/,
  },
  {
    code: 'call-blocked',
    fault: {
      ...healthy,
      init: { tools: [search], hooks: [before('policy', (_state, ctx) => ctx.block('not at night'))] },
    },
    twin: healthy,
    says: /Hook "policy" blocked the call of tool "search": not at night/,
  },
  {
    code: 'call-failed',
    fault: { ...healthy, init: { tools: [fakeTool('search', () => Promise.reject(new Error('down')))] } },
    twin: healthy,
    says: /A call of tool "search" failed: search: down/,
  },
  {
    code: 'call-failed',
    fault: { script: calling('book', { people: 'many' }), init: { tools: [book] } },
    twin: healthy,
    says: /Invalid input/,
  },
  {
    code: 'call-failed',
    fault: { script: calling('sarch'), init: { tools: [search] } },
    twin: healthy,
    says: /"sarch" failed/,
  },
  {
    code: 'call-repeated',
    fault: {
      script: [...Array.from({ length: 3 }, () => calling('search', { q: 'a' })[0]!), { text: 'Done.' }],
      init: { tools: [search] },
    },
    twin: {
      script: [...['a', 'b', 'c'].map((q) => calling('search', { q })[0]!), { text: 'Done.' }],
      init: { tools: [search] },
    },
    says: /called tool "search" 3 times with equal arguments/,
  },
  {
    code: 'calls-over-limit',
    fault: {
      script: [
        { toolCalls: ['a', 'b', 'c'].map((q) => ({ name: 'search', input: { q } })) },
        { text: 'Done.' },
      ],
      init: { tools: [search], maxToolCalls: 2 },
    },
    twin: healthy,
    says: /made 3 tool calls at once; 1 of them did not run/,
  },
  {
    code: 'result-cut',
    fault: { ...healthy, init: { tools: [fakeTool('search', 'x'.repeat(5000))], maxResultBytes: 1000 } },
    twin: { ...healthy, init: { tools: [fakeTool('search', 'x'.repeat(500))], maxResultBytes: 1000 } },
    says: /the model got 8\d\d bytes of 5,002 bytes/,
  },
  {
    code: 'tool-slow',
    fault: { script: calling('search'), init: slow(12_000) },
    twin: { script: calling('search'), init: slow(8000) },
    says: /"search" took 12 s, longer than the model/,
    severity: 'hint',
  },
  {
    code: 'page-blocked',
    fault: { script: calling('search'), init: blocking(400) },
    twin: { script: calling('search'), init: blocking(10) },
    says: /blocked the page for 400 ms/,
    severity: 'hint',
  },
  {
    code: 'tools-confused',
    fault: {
      script: both,
      init: alike('Finds the order of a customer by its id.', 'Finds the invoice of a customer by its id.'),
    },
    twin: {
      script: both,
      init: alike('Finds an order by its id.', 'Reads the bill that was sent to a customer.'),
    },
    says: /"find_order" and then "find_invoice" with equal arguments/,
  },
  {
    code: 'tools-confused',
    fault: {
      script: [both[0]!, { text: 'Done.' }],
      init: alike('Searches the manual.', 'Searches in the manual.'),
    },
    twin: {
      script: [both[0]!, { text: 'Done.' }],
      init: alike('Reads the live rate.', 'Reads the rate of yesterday.'),
    },
    says: /"find_order" and not "find_invoice"/,
  },
  {
    code: 'pages-unread',
    fault: {
      script: calling('list'),
      init: { tools: [fakeTool('list', { items: [1], next: 'p2' })] },
    },
    twin: {
      script: calling('list'),
      init: { tools: [fakeTool('list', { state: 'open', next: 'Wait.' })] },
    },
    says: /said that there is more/,
  },
  {
    code: 'call-failed',
    fault: { script: twice('pay'), init: { tools: [failingOnce('pay', '504 gateway timeout')] } },
    twin: { script: twice('read'), init: { tools: [failingOnce('read', '504 gateway timeout')] } },
    says: /nobody knows whether it did so twice/,
  },
];

/** Two equal calls in two steps. */
function twice(name: string) {
  return [calling(name)[0]!, calling(name)[0]!, { text: 'Done.' }];
}

function failingOnce(name: string, message: string) {
  let calls = 0;
  return fakeTool(name, () => (++calls === 1 ? Promise.reject(new Error(message)) : 'done'));
}

testSeededFaults(faults);

describe('a call that needs a person', () => {
  const pay = (execute: () => unknown) =>
    defineTool({ name: 'pay', description: '', input: z.object({}), needsApproval: true, execute });

  async function waited(ms: number, execute: () => unknown, decision: 'approve' | 'reject' = 'approve') {
    const env = fixedEnv();
    const agent = scriptedAgent(calling('pay'), { tools: [pay(execute)] });
    const events: AgentEvent[] = [];
    const loop = createAgentLoop(agent, { env, onEvent: (event) => events.push(event) });
    const base = ask('Hello', env);
    const paused = await loop.execute(base);
    env.advance(ms);
    const journal = createJournal(paused, { env });
    journal.subscribe((event) => void events.push(event));
    const said =
      decision === 'approve' ? ({ type: 'approve' } as const) : ({ type: 'reject', reason: 'no' } as const);
    const [call] = pendingApprovals(paused);
    for (const { path, body } of answerCall(paused, call!.id, said)) journal.commit(path, body);
    await runOnJournal({ agent, lease: journal.lease().lease, env });
    return diagnose({ base, events });
  }

  it('a call that waited long for a person is a hint, whether it succeeds or fails then', async () => {
    const failed = await waited(3_600_000, () => Promise.reject(new Error('The token has expired.')));
    const found = failed.filter(({ code }) => code === 'approval-waited');
    expect(found).toMatchObject([{ severity: 'hint' }]);
    expect(found[0]?.sentence).toMatch(/waited 60 min for a person, and then failed: .*expired/);
    expect((await waited(3_600_000, () => 'paid')).map(({ code, severity }) => [code, severity])).toEqual([
      ['approval-waited', 'hint'],
    ]);
  });

  it('a call that waited 60 s for a person is a hint, and one that waited a millisecond less is no finding', async () => {
    expect(await waited(60_000, () => 'paid')).toMatchObject([{ code: 'approval-waited', severity: 'hint' }]);
    expect(await waited(59_999, () => 'paid')).toEqual([]);
  });

  it('the rejection of a person is no finding', async () => {
    expect(await waited(1000, () => 'paid', 'reject')).toEqual([]);
  });
});

it('a call that was stopped while its tool ran is found', async () => {
  const controller = new AbortController();
  const env = fixedEnv();
  const agent = scriptedAgent(calling('search'), {
    tools: [
      fakeTool('search', async () => {
        controller.abort('enough');
        await new Promise(() => undefined);
        return 1;
      }),
    ],
  });
  const events: AgentEvent[] = [];
  const base = ask('Hello', env);
  await createAgentLoop(agent, { env, onEvent: (event) => events.push(event) }).execute(base, {
    signal: controller.signal,
  });
  const found = diagnose({ base, events });
  expect(found).toMatchObject([{ code: 'call-interrupted', severity: 'fault' }]);
  expect(found[0]?.sentence).toMatch(/"search" was interrupted while it ran/);
});
