import { expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import { of as signalOf } from '@vitrine/core/internal/graph/stop-signal';
import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference } from '@vitrine/testing/internal/scripted-inference';
import { diagnose } from './diagnose.ts';
import { findingsOf, type SeededFault, type SeededRun, testSeededFaults } from './seeded-faults.fixture.ts';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';

const healthy: SeededRun = { script: [{ text: 'A whole answer.' }] };
const cart = definePlugin({
  id: 'cart',
  state: z.object({ items: z.array(z.string()), mode: z.string() }),
  initial: { items: [], mode: 'new' },
});
const input = z.object({ item: z.string() });
const setting = defineTool({
  name: 'replace_cart',
  description: '',
  input,
  async execute({ item }, ctx) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ctx.plugin(cart).set({ items: [item], mode: 'set' });
  },
});
const adding = defineTool({
  name: 'add_item',
  description: '',
  input,
  execute: ({ item }, ctx) =>
    ctx.plugin(cart).update((now = { items: [], mode: 'new' }) => ({ ...now, items: [...now.items, item] })),
});
const shopping = (...names: string[]): SeededRun['script'] => [
  { toolCalls: names.map((name, index) => ({ name, input: { item: `item ${index}` } })) },
  { text: 'Done.' },
];
const shop = { tools: [setting, adding], plugins: [cart] };
const writer = (name: string, key: string) =>
  defineHook({ name, on: 'after-step', run: (state) => withMetadata(state, { [key]: name }) });
const stored =
  (version: number, data: string | { note: string }): NonNullable<SeededRun['state']> =>
  (env) => ({ ...ask('Hello', env), plugins: { memo: { version, revision: 1, data } } });
const memo = (init = {}) => ({
  plugins: [
    definePlugin({
      id: 'memo',
      version: 2,
      state: z.object({ note: z.string() }),
      initial: { note: '' },
      ...init,
    }),
  ],
});
const migrate = { 1: (note: unknown) => ({ note: String(note) }) };
const kid = scriptedAgent(
  [
    {
      text: 'Searched.',
      usage: { inputTokens: 50, outputTokens: 10 },
      toolCalls: [{ name: 'none', input: {} }],
    },
  ],
  { name: 'kid' },
);
const delegating: SeededRun['script'] = [
  { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Search.' } }] },
  { text: 'Done.' },
];
const isFirst = ({ execution }: State): boolean => execution?.stepExecutions.length === 0;
const limited = defineHook({
  name: 'persistent',
  on: 'after-step',
  run: (state) => (isFirst(state) ? AgentState.withExecutionContinued(state) : state),
});
const stopping = defineHook({
  name: 'guard',
  on: 'after-step',
  run: (state, ctx) =>
    isFirst(state)
      ? AgentState.withStopSignal(
          state,
          signalOf('stop-requested', { message: 'Enough.', source: 'guard' }, ctx.env),
        )
      : state,
});
const priced = { model: 'big', prices: { big: { input: 1, output: 1 } } };
const usage = { inputTokens: 10, outputTokens: 10 };

const faults: readonly SeededFault[] = [
  {
    code: 'write-lost',
    fault: { script: shopping('replace_cart', 'add_item'), init: shop },
    twin: { script: shopping('add_item', 'add_item'), init: shop },
    says: /The write of the call of "replace_cart" to the state of plugin "cart" was lost, because a call of "add_item" had written/,
    severity: 'fault',
  },
  {
    code: 'state-overwritten',
    fault: { ...healthy, init: { hooks: [writer('first', 'mood'), writer('second', 'mood')] } },
    twin: { ...healthy, init: { hooks: [writer('first', 'a'), writer('second', 'b')] } },
    says: /"second" overwrote "context\.metadata\.mood", which "first" had written/,
  },
  {
    code: 'state-set-aside',
    fault: { ...healthy, state: stored(1, 'milk'), init: memo() },
    twin: { ...healthy, state: stored(2, { note: 'milk' }), init: memo() },
    says: /stored state of plugin "memo" \(version 1\) was set aside.*no migration from 1/,
    severity: 'fault',
  },
  {
    code: 'state-migrated',
    fault: { ...healthy, state: stored(1, 'milk'), init: memo({ migrate }) },
    twin: { ...healthy, state: stored(2, { note: 'milk' }), init: memo({ migrate }) },
    says: /migrated from version 1 to 2/,
    severity: 'hint',
  },
  {
    code: 'limit-of-parent',
    fault: { script: delegating, init: { subagents: [kid], subagentPolicy: { maxTotalSteps: 2 } } },
    twin: {
      script: delegating,
      init: { subagents: [scriptedAgent([{ text: 'Searched.' }], { name: 'kid' })] },
    },
    says: /stopped by a limit of an agent above it/,
  },
  {
    code: 'price-unknown',
    fault: {
      script: [],
      init: {
        budget: { maxCost: 5 },
        inference: { ...scriptedInference([{ text: 'Yes.', usage }]), price: () => Promise.resolve(null) },
      },
    },
    twin: { script: [{ text: 'Yes.', usage }], init: { budget: { maxCost: 5 }, llmConfig: priced } },
    says: /The price of 1 model call.* is not known/,
  },
  {
    code: 'signal-overridden',
    fault: { ...healthy, init: { hooks: [stopping, limited] } },
    twin: { ...healthy, init: { hooks: [] } },
    says: /of "persistent" overrode the stop signal "stop-requested" of "guard"/,
    severity: 'hint',
  },
  {
    code: 'error-recorded',
    fault: {
      ...healthy,
      init: {
        hooks: [
          defineHook({
            name: 'broken',
            on: 'after-execution',
            run: () => Promise.reject(new Error('No disk.')),
          }),
        ],
      },
    },
    twin: healthy,
    says: /An error was recorded: No disk/,
    severity: 'fault',
  },
];

testSeededFaults(faults);

const paint = (id: string, value: JsonValue) =>
  defineTool({
    name: id,
    description: '',
    effects: 'idempotent',
    input: z.object({}),
    execute: (_input, ctx) => ctx.plugin(boat).update((now) => ({ ...Object(now), ...Object(value) })),
  });
const boat = definePlugin({ id: 'boat', state: z.record(z.string(), z.json()) });
const written: readonly (readonly [JsonValue, JsonValue, readonly string[]])[] = [
  [{ color: 'red' }, { color: 'blue' }, ['color']],
  [
    { hull: { color: 'red', deck: { size: 1 } } },
    { hull: { color: 'blue' } },
    ['hull.color', 'hull.deck.size'],
  ],
  [{ hull: { color: 'red' } }, { hull: 'sold' }, ['hull.color']],
  [{ hull: 'new' }, { hull: { color: 'red' } }, ['hull']],
  // A first number and a second one may be a counter.
  [{ color: 'red', size: 1 }, { shape: 'flat', size: 2 }, []],
];
it.each(written)(
  'a write of %j that %j overwrites in the step which creates the state of the plugin is found',
  async (first, second, places) => {
    const found = await findingsOf({
      script: [{ toolCalls: ['one', 'two'].map((name) => ({ name, input: {} })) }, { text: 'x' }],
      init: { tools: [paint('one', first), paint('two', second)], plugins: [boat], toolConcurrency: 1 },
    });
    const paths = found
      .filter(({ code }) => code === 'state-overwritten')
      .map(({ address }) => address.statePath?.slice(3).join('.'));
    expect(paths.toSorted()).toEqual(places);
  },
);

it('a subagent whose price is not known is found in a run that limits or knows its cost', async () => {
  const child = (price: typeof priced | null) =>
    scriptedAgent([{ text: 'Searched.', usage }], {
      name: 'kid',
      llmConfig: { model: 'small' },
      ...(price === null ? {} : { llmConfig: price }),
    });
  const run = async (of: typeof priced | null, init: Partial<AgentInit>): Promise<readonly string[]> => {
    const script = [
      { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Search.' } }], usage },
      { text: 'Done.', usage },
    ];
    const found = await findingsOf({ script, init: { ...init, subagents: [child(of)] } });
    return found.filter(({ code }) => code === 'price-unknown').map(({ address }) => address.path.join());
  };
  const budget = { maxCost: 5 };
  expect((await run(null, { budget, llmConfig: priced })).length).toBe(1);
  expect((await run(null, { llmConfig: priced })).length).toBe(1);
  // The agent above it has no price either.
  expect(await run(priced, { llmConfig: { model: 'other' } })).toEqual(['']);
  expect(await run(priced, { budget, llmConfig: priced })).toEqual([]);
  expect(await run(null, {})).toEqual([]);
});

it('an agent alone whose cost is limited and whose price is not known is found', async () => {
  const script = [{ toolCalls: [{ name: 'none', input: {} }], usage }, { text: 'Yes.' }];
  const found = await findingsOf({ script, init: { budget: { maxCost: 5 } } });
  expect(found.map(({ code }) => code)).toContain('price-unknown');
});

it('the evidence of an overwritten value has every writer in order', async () => {
  const found = await findingsOf({
    ...healthy,
    init: { hooks: [writer('first', 'mood'), writer('second', 'mood'), writer('third', 'mood')] },
  });
  expect(found.at(-1)).toMatchObject({
    code: 'state-overwritten',
    address: { statePath: ['context', 'metadata', 'mood'] },
    evidence: {
      who: 'third',
      writers: [
        { who: 'first', value: 'first' },
        { who: 'second', value: 'second' },
        { who: 'third', value: 'third' },
      ],
    },
  });
});

it('a run that was interrupted and resumed names the time between', async () => {
  const env = fixedEnv();
  const agent = scriptedAgent([{ text: 'Half', delayMs: 1 }]);
  const first = createJournal(ask('Hello', env), { env });
  const { lease, revoke } = first.lease();
  const running = runOnJournal({ agent, lease, env });
  await new Promise((resolve) => setTimeout(resolve, 0));
  revoke();
  await running;
  const base = first.state();
  expect(AgentState.status(base)).toBe('in-progress');
  env.advance(600_000);
  const journal = createJournal(base, { env });
  const events: AgentEvent[] = [];
  journal.subscribe((event) => void events.push(event));
  await runOnJournal({ agent, lease: journal.lease().lease, env });
  const found = diagnose({ base, events });
  expect(found.every(({ code, severity }) => code === 'run-resumed' && severity === 'hint')).toBe(true);
  expect(found[0]).toMatchObject({ evidence: { totalMs: 600_000 } });
  expect(found[1]?.sentence).toMatch(/interrupted and made again/);
  expect(found[0]?.sentence).toMatch(/nobody worked on it for 10 min/);
});

it('a call whose start could not be stored is an error', async () => {
  const env = fixedEnv();
  const pay = defineTool({ name: 'pay', description: '', input: z.object({}), execute: () => 'paid' });
  const base = ask('Hello', env);
  const journal = createJournal(base, { env });
  const events: AgentEvent[] = [];
  journal.subscribe((event) => void events.push(event));
  await runOnJournal({
    agent: scriptedAgent([{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'ok' }], { tools: [pay] }),
    lease: journal.lease().lease,
    env,
    whenStored: () => Promise.reject(new AgentError('session-storage', 'The disk is full.')),
  });
  expect(diagnose({ base, events })).toMatchObject([{ code: 'start-not-stored', severity: 'fault' }]);
});

it('model calls that wait for room in a budget are a hint', async () => {
  const kids = ['a', 'b'].map((name) =>
    scriptedAgent([{ text: 'Searched.', delayMs: 2, usage }], {
      name,
      llmConfig: { settings: { maxOutputTokens: 300 } },
    }),
  );
  const found = await findingsOf({
    script: [
      { toolCalls: ['a', 'b'].map((agent) => ({ name: 'delegate', input: { agent, task: 'Search.' } })) },
      { text: 'Done.' },
    ],
    init: { subagents: kids, budget: { maxTokens: 500 } },
  });
  expect(found.map(({ code, severity }) => [code, severity])).toContainEqual(['budget-waited', 'hint']);
});

it('a run that a person lets go on after a limit is no interruption', async () => {
  const env = fixedEnv();
  const agent = scriptedAgent(
    ['a', 'b', 'c'].map((q) => ({ toolCalls: [{ name: 'search', input: { q } }] })),
    { tools: [fakeTool('search', 1)], budget: { maxSteps: 2 } },
  );
  const base = ask('Hello', env);
  const journal = createJournal(base, { env });
  const events: AgentEvent[] = [];
  journal.subscribe((event) => void events.push(event));
  const { lease } = journal.lease();
  await runOnJournal({ agent, lease, env });
  expect(AgentState.stopReason(journal.state())).toBe('steps-limit-reached');
  env.advance(60_000);
  journal.commit([], { type: 'budget-grant', source: 'user', grant: { steps: 1 } });
  journal.commit([], { type: 'continuation-request', source: 'user' });
  journal.commit([], { type: 'execution-resume' });
  await runOnJournal({ agent, lease: journal.lease().lease, env });
  const found = diagnose({ base, events });
  expect(found).toEqual([]);
});
