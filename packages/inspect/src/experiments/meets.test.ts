import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { guard } from '@vitrine/core/internal/agent/guards/guard';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import * as StopSignal from '@vitrine/core/internal/graph/stop-signal';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { describeExpectation, type Expectation, readExpectation } from './expectation.ts';
import { meets } from './meets.ts';

const cart = definePlugin({
  id: 'cart',
  state: z.object({ items: z.array(z.string()) }),
  initial: { items: [] },
});
const tool = (name: string) =>
  defineTool({
    name,
    description: '',
    input: z.object({ to: z.string(), urgent: z.boolean().optional() }),
    execute(_input, ctx) {
      if (name === 'add') ctx.plugin(cart).set({ items: ['tea'] });
      return 'done';
    },
  });
const blocking = defineHook({
  name: 'block',
  on: 'before-tool-use',
  run: (_state, ctx) => void (ctx.fields.toolCall?.name === 'pay' && ctx.block('no')),
});
const init: Partial<AgentInit> = {
  tools: [tool('mail'), tool('add'), tool('pay')],
  plugins: [cart],
  hooks: [blocking],
};
const call = (name: string, input: object): ScriptedStep => ({
  toolCalls: [{ name, input: input as never }],
});
const script: readonly ScriptedStep[] = [
  { text: 'I look  for Ada', ...call('mail', { to: 'Ada', urgent: true }) },
  call('add', { to: 'Bob' }),
  call('pay', { to: 'Cleo' }),
  { text: '{"name":"Bob", "age": 7}' },
];
const state = await expectRun(script, init)
  .toEnd('completed', 'completed')
  .then((run) => run.state);

/** Each kind of expectation: met by the run above, and not met with a part of its sentence. */
const table: readonly [met: Expectation, unmet: Expectation, why: string][] = [
  [{ says: 'bob' }, { says: 'Ada' }, 'does not say "Ada"'],
  [{ says: 'LOOK for ada', over: 'run' }, { says: 'Eve', over: 'run' }, 'does not say "Eve"'],
  [{ doesNotSay: 'Ada' }, { doesNotSay: 'BOB' }, 'says "BOB"'],
  [{ doesNotSay: 'Eve', over: 'run' }, { doesNotSay: 'Ada', over: 'run' }, 'says "Ada"'],
  [{ calls: { tool: 'mail' } }, { calls: { tool: 'search' } }, 'does not call search'],
  [
    { calls: { tool: 'mail', input: { to: 'Ada' } } },
    { calls: { tool: 'mail', input: { to: 'Bob' } } },
    'its arguments are {"to":"Ada","urgent":true}',
  ],
  [{ neverCalls: { tool: 'search' } }, { neverCalls: { tool: 'mail' } }, 'calls mail({"to":"Ada"'],
  // A blocked call was not made.
  [{ neverCalls: { tool: 'pay' } }, { calls: { tool: 'pay' } }, 'the call was blocked'],
  [{ asksAtMost: 4 }, { asksAtMost: 3 }, 'asks a model 4 times; 3 are expected'],
  [{ endsWith: 'completed' }, { endsWith: 'user-requested' }, 'ends with completed, not user-requested'],
  [
    { matches: { type: 'object', required: ['name'] } },
    { matches: { type: 'object', properties: { age: { type: 'string' } } } },
    'does not fit the JSON Schema at age',
  ],
  [
    { state: { plugin: 'cart', path: ['items', '0'], equals: 'tea' } },
    { state: { plugin: 'cart', path: ['items'], equals: [] } },
    'It is ["tea"]',
  ],
  [
    { state: { plugin: 'cart', path: [], equals: { items: ['tea'] } } },
    { state: { plugin: 'bag', path: [], equals: 1 } },
    'Plugin bag has no state',
  ],
  [
    { all: [{ says: 'Bob' }, { all: [{ calls: { tool: 'add' } }] }] },
    { all: [{ says: 'Bob' }, { says: 'Eve' }] },
    'does not say "Eve"',
  ],
];

describe('the table of expectations', () => {
  it.each(table)('a run meets %j, does not meet %j, and the reason has %s', async (met, unmet, why) => {
    expect(await meets(state, readExpectation(met))).toEqual({ met: true, why: [] });
    const answer = await meets(state, readExpectation(JSON.parse(JSON.stringify(unmet))));
    expect(answer.met).toBe(false);
    expect(answer.why.join(' ')).toContain(why);
    expect(describeExpectation(unmet)).not.toContain('undefined');
  });

  it('money counts when the model has a price, and an unknown cost meets no limit', async () => {
    expect((await meets(state, { costsAtMost: 1 })).why.join()).toContain('no price');
    const priced = { llmConfig: { model: 'm', prices: { m: { input: 1, output: 1 } } } };
    const { state: paid } = await expectRun(
      [{ text: 'Hi', usage: { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 } }],
      priced as never,
    ).toEnd('completed', 'completed');
    expect(await meets(paid, { costsAtMost: 1 })).toEqual({ met: true, why: [] });
    expect((await meets(paid, { costsAtMost: 0.5 })).why).toEqual(['It costs 1; 0.5 is expected at most.']);
  });

  it('the calls of subagents count as those of the agent', async () => {
    const kid = scriptedAgent([call('mail', { to: 'Ada' }), { text: 'Sent' }], {
      name: 'kid',
      tools: [tool('mail')],
    });
    const task = { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Write' } }] };
    const { state: ended } = await expectRun([task, { text: 'Done' }], { subagents: [kid] }).toEnd(
      'completed',
      'completed',
    );
    expect(await meets(ended, { neverCalls: { tool: 'mail' } })).toMatchObject({ met: false });
    expect(await meets(ended, { asksAtMost: 4 })).toMatchObject({ met: true });
    expect(await meets(ended, { asksAtMost: 3 })).toMatchObject({ met: false });
  });

  it('a run that waits decides only what it has broken or made already', async () => {
    const guarded = { ...tool('mail'), needsApproval: () => true } as never;
    const { state: waiting } = await expectRun([{ text: 'Well', ...call('mail', { to: 'Ada' }) }], {
      tools: [guarded],
    }).toEnd('in-progress', null);
    expect(await meets(waiting, { says: 'Well' })).toMatchObject({ met: null });
    expect(await meets(waiting, { neverCalls: { tool: 'mail' } })).toMatchObject({ met: null });
    expect(await meets(waiting, { all: [{ says: 'x' }, { doesNotSay: 'well', over: 'run' }] })).toMatchObject(
      { met: false },
    );
    expect(await meets(create({}), { says: 'x' })).toEqual({ met: null, why: ['There is no run.'] });
  });

  it('an answer that is no JSON, and a JSON Schema that is none, are sentences', async () => {
    const { state: said } = await expectRun([{ text: 'Hi' }]).toEnd('completed', 'completed');
    expect((await meets(said, { matches: {} })).why).toEqual(['Its answer is no JSON.']);
    expect((await meets(state, { matches: { $ref: '#/nowhere' } })).why.join()).toContain(
      'The JSON Schema cannot be used',
    );
  });

  it('a guard that stops the run is the reason that `endsWith` names', async () => {
    const stopping = guard('enough', () => StopSignal.of('stop-requested'), { on: 'after-step' });
    await expectRun([{ text: 'Hi' }], { hooks: [stopping] }).meets({ endsWith: 'stop-requested' });
  });
});

/** Values that are no expectation, or that no run can meet, with a part of the sentence. */
const bad: readonly [value: unknown, sentence: string][] = [
  [null, 'expected an object'],
  [{}, 'expected exactly one of says,'],
  [{ says: 'a', calls: { tool: 'b' } }, 'expected exactly one of'],
  [{ says: ' ' }, 'At says: expected text'],
  [{ constructor: 1 }, 'expected exactly one of'],
  [{ calls: { tool: 'a' }, over: 'run' }, 'At over: calls has no "over"'],
  [{ says: 'a', over: 'all' }, 'At over: expected "answer" or "run"'],
  [{ all: [{ says: 'a' }, { asksAtMost: -1 }] }, 'At all.1.asksAtMost: expected a whole number'],
  [{ endsWith: 'gladly' }, 'At endsWith: expected "error-forbade"'],
  [{ asksAtMost: 0 }, 'No run can meet it: every run asks a model once'],
  [
    { all: [{ says: 'Ada L' }, { doesNotSay: 'ada' }] },
    'No run can meet it: it would say "Ada L" and not "ada"',
  ],
  [
    { all: [{ calls: { tool: 'a', input: 1 } }, { neverCalls: { tool: 'a' } }] },
    'it would call a and never call it',
  ],
  [
    { all: [{ endsWith: 'completed' }, { endsWith: 'unknown' }] },
    'it would end with completed and with unknown',
  ],
];

it.each(bad)('the value %j is refused with a sentence that has %s', (value, sentence) => {
  expect(() => readExpectation(value)).toThrow(sentence);
});

describe('a rubric that a model judges', () => {
  const rubric: Expectation = { all: [{ says: 'Hi' }, { judge: 'it is kind' }] };
  /** An agent whose model answers, and then judges by the word of a test. */
  const agentThat = (...said: ScriptedStep[]) => {
    const asked: number[] = [];
    const { stream } = scriptedInference([{ text: 'Hi' }, ...said]);
    const inference = { stream: (...given: Parameters<typeof stream>) => (asked.push(1), stream(...given)) };
    return { asked, run: expectRun(scriptedAgent([], { inference })) };
  };

  it('a model is asked only when the caller wants it', async () => {
    const { asked, run } = agentThat({ text: '{"met":true}' });
    await expect(run.meets(rubric)).rejects.toThrow(
      'Only a model can judge "it is kind", and none was asked.',
    );
    expect(asked).toHaveLength(1);
  });

  it('the model of the agent judges, and the reason says that a model did', async () => {
    await agentThat({ text: 'Sure: {"met": true, "why": "It greets."}' }).run.meets(rubric, {
      judgements: 1,
    });
    const { run } = agentThat({ text: '{"met": false, "why": "It is short."}' });
    await expect(run.meets(rubric, { judgements: 1 })).rejects.toThrow(
      'A model judged that "it is kind" is not met: It is short.',
    );
  });

  it('a judge that answers nonsense or fails leaves the rubric undecided', async () => {
    for (const said of [
      { text: 'Maybe.' },
      { text: '{"met":"yes"}' },
      { text: '' },
      { error: { message: 'Down' } },
    ])
      await expect(agentThat(said).run.meets(rubric, { judgements: 1 })).rejects.toThrow(
        /may not meet.*\n {2}"it is kind" is not judged: the model (failed|was asked, and answered)/,
      );
  });

  it('a judge is asked up to the cap', async () => {
    const { asked, run } = agentThat({ text: '{"met":true}' });
    const twice: Expectation = { all: [{ judge: 'kind' }, { judge: 'short' }] };
    await expect(run.meets(twice, { judgements: 1 })).rejects.toThrow('"short" is not judged: the cap of 1');
    expect(asked).toHaveLength(2);
  });
});
