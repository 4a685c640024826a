import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition, AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { InferenceClient, InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { type JournalDocument, journalDocument } from '../replay/journal-document.ts';
import { fisher } from './fisher.ts';
import { planExperiment } from './plan-experiment.ts';
import { runExperiment } from './run-experiment.ts';

/** A model that answers by what its request has; it counts its calls. */
function modelThat(answer: (request: InferenceRequest) => ScriptedStep): InferenceClient & { asked: number } {
  const client = {
    asked: 0,
    async *stream(...[request, call]: Parameters<InferenceClient['stream']>) {
      client.asked++;
      yield* scriptedInference([answer(request)]).stream(request, call);
    },
  };
  return client;
}

const sees = (request: InferenceRequest, words: string): boolean =>
  request.messages.some(
    (message) => text(message).includes(words) || JSON.stringify(message.parts).includes(words),
  );
/** A model that knows the name when it is sent it. */
const knowing = () =>
  modelThat((request) => ({ text: sees(request, 'Ada') ? 'You are Ada.' : 'I do not know.' }));

function say(...texts: readonly string[]): AgentState {
  return texts.reduce((state, words) => withUserMessage(state, words, systemEnv), create({}));
}

async function record(agent: AgentDefinition, base: AgentState): Promise<JournalDocument> {
  const journal = createJournal(base);
  const events: AgentEvent[] = [];
  journal.subscribe((event) => events.push(event));
  await runOnJournal({ agent, lease: journal.lease().lease, env: systemEnv });
  return JSON.parse(JSON.stringify(journalDocument('r', journal.base, events))) as JournalDocument;
}

/** Records a run of an agent, and asks for the cause of what it does. */
async function find(
  init: Partial<AgentInit>,
  {
    base = say('I am Ada.', 'Who am I?'),
    options = {},
  }: { base?: AgentState; options?: Partial<Parameters<typeof runExperiment>[2]> } = {},
) {
  const inference = knowing();
  const agent = scriptedAgent([], { inference, ...init });
  const journal = await record(agent, base);
  inference.asked = 0;
  const found = await runExperiment(journal, agent, {
    expectation: { says: 'Ada', title: 'it knows the name' },
    ...options,
  });
  return { found, asked: inference.asked, journal, agent };
}

const dropping = defineHook({
  name: 'save-tokens',
  on: 'before-inference',
  run(_state, ctx) {
    const { request } = ctx.fields;
    if (request)
      ctx.replace('request', {
        ...request,
        messages: request.messages.filter((one) => !text(one).includes('Ada')),
      });
  },
});

describe('the cause that an experiment names', () => {
  it('a hook that drops a message is named in the words of the person', async () => {
    const other = defineHook({ name: 'other', on: 'after-step', run: () => undefined });
    const { found, asked } = await find({ hooks: [other, dropping] });
    expect(found.sentence).toBe('With hook `save-tokens` off it knows the name: 5 of 5. As it was: 0 of 5.');
    expect([found.calls, asked <= 30]).toEqual([asked, true]);
    const row = found.rows.find(({ variant }) => variant === 'hook `save-tokens` off');
    expect(row).toMatchObject({ met: 5, of: 5, isConfirmed: true });
    expect(row?.difference).toBe('Step 1: "You are Ada." (was "I do not know.")');
    expect(found.rows[0]).toMatchObject({ variant: null, met: 0, of: 5, why: 'It does not say "Ada".' });
  });

  it('a hook that acts before the first step is undone, because the samples begin before it', async () => {
    const forget = defineHook({
      name: 'forget',
      on: 'before-execution',
      run: (state) => ({
        ...state,
        context: {
          ...state.context,
          store: {
            ...state.context.store,
            sections: state.context.store.sections.map((section) => ({
              ...section,
              messages: section.messages.slice(-1),
            })),
          },
        },
      }),
    });
    const { found } = await find({ hooks: [forget] });
    expect(found.sentence).toContain('With hook `forget` off it knows the name: 5 of 5.');
  });

  it('an answer holds no secret of the run, also where a text is cut', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz012345';
    const login = defineTool({
      name: 'login',
      description: '',
      effects: 'idempotent',
      input: z.object({ user: z.string(), password: z.string() }),
      execute: () => ({ token: 'hunter3' }),
    });
    const logsIn = modelThat((request) =>
      sees(request, 'hunter3')
        ? { text: sees(request, 'Ada') ? `Ada has ${key}.` : `Nobody has ${key}.` }
        : {
            toolCalls: [
              {
                name: 'login',
                input: {
                  user: `${sees(request, 'Ada') ? 'Ada' : 'x'}${'-'.repeat(40)}`,
                  password: `hunter2${'-'.repeat(40)}`,
                },
              },
            ],
          },
    );
    const base = say(`I am Ada: ${'x'.repeat(20)} ${key}`, 'Who am I?');
    const { found } = await find({ hooks: [dropping], tools: [login], inference: logsIn }, { base });
    const called = await find(
      { hooks: [dropping], tools: [login], inference: logsIn },
      { base, options: { expectation: { neverCalls: { tool: 'login' } } } },
    );
    const shown = JSON.stringify([found, called.found].map(({ cause, ...rest }) => [rest, cause?.name]));
    expect(found.rows.map(({ difference }) => difference).join()).toContain('login(');
    expect(shown).toContain('login({');
    expect(shown).not.toMatch(/hunter|sk-proj|abcdef/);
  });

  it('a compiler, a plugin, a setting and a message are named', async () => {
    const compiled = await find({
      compileMessages: (state) => state.context.store.sections.flatMap(({ messages }) => messages.slice(-1)),
    });
    expect(compiled.found.sentence).toContain('With the compiler of messages off it knows the name: 5 of 5.');
    const told = definePlugin({
      id: 'told',
      state: z.unknown(),
      prepare: () => ({ instructions: 'Never say a name.' }),
    });
    const shy = (word: string) =>
      modelThat((request) => ({
        text: sees(request, word) || request.settings['stop'] === word ? 'No.' : 'You are Ada.',
      }));
    const plugged = await find({ plugins: [told], inference: shy('Never') });
    expect(plugged.found.sentence).toContain('With plugin `told` off it knows the name: 5 of 5.');
    const settled = await find(
      { inference: shy('A'), llmConfig: { model: null, settings: { stop: 'A' } } },
      { base: say('Who?') },
    );
    expect(settled.found.sentence).toContain('With setting `stop` at its default it knows the name: 5 of 5.');
    const wrong = await find({ inference: shy('Forget me') }, { base: say('Forget me', 'Who am I?') });
    expect(wrong.found.sentence).toContain(
      'With the message "Forget me" left out it knows the name: 5 of 5.',
    );
  });

  it('a cut result is read whole from an idempotent tool, and a masked one comes back with its hook off', async () => {
    const acts: string[] = [];
    const read = (effects: 'once' | 'idempotent') =>
      defineTool({
        name: 'read',
        description: '',
        effects,
        maxResultBytes: 100,
        input: z.object({}),
        execute: () => (acts.push('read'), `${'.'.repeat(300)} Ada`),
      });
    const reading = (): InferenceClient & { asked: number } =>
      modelThat((request) =>
        request.messages.some(({ role }) => role === 'tool')
          ? { text: sees(request, 'Ada') ? 'Ada' : 'Nobody' }
          : { toolCalls: [{ name: 'read', input: {} }] },
      );
    const base = say('Who?');
    const whole = await find({ tools: [read('idempotent')], inference: reading() }, { base });
    expect(whole.found.sentence).toContain('With the whole result of `read` it knows the name: 5 of 5.');
    acts.length = 0;
    const once = await find({ tools: [read('once')], inference: reading() }, { base });
    expect([acts, once.found.cause]).toEqual([['read'], null]);
    expect(once.found.untried.join()).toContain('the whole result of `read`: the record has the cut one');
    const mask = defineHook({
      name: 'mask',
      on: 'after-tool-use',
      run(_state, ctx) {
        const { execution } = ctx.fields;
        if (execution) ctx.replace('execution', { ...execution, result: '***' });
      },
    });
    const short = { ...read('once'), maxResultBytes: 1000 };
    acts.length = 0;
    const masked = await find(
      { tools: [short], hooks: [mask], inference: reading() },
      { base, options: { cap: { calls: 60 } } },
    );
    expect(masked.found.sentence).toContain('With hook `mask` off it knows the name: 5 of 5.');
    expect(acts).toEqual(['read']);
  });

  it('another model that the client of the agent knows is tried last, and a given one is tried with the others', async () => {
    const asked: (string | null)[] = [];
    const inference = {
      ...modelThat(({ model }) => ({ text: model === 'b:large' ? 'You are Ada.' : 'I do not know.' })),
      otherModels: (model: string | null) => {
        asked.push(model);
        return Promise.resolve(['a:mini', 'b:large', 'c:odd', 'd:fourth']);
      },
    };
    const base = say('Who am I?');
    const { found, journal, agent } = await find({ inference }, { base });
    expect(found.sentence).toBe('With model `b:large` it knows the name: 5 of 5. As it was: 0 of 5.');
    const { variants } = await planExperiment(journal, agent, { expectation: { says: 'Ada' } });
    const names = variants.map(({ name }) => name);
    expect([asked, names.slice(-3)]).toEqual([
      [null, null],
      ['model `a:mini`', 'model `b:large`', 'model `c:odd`'],
    ]);
    const given = await planExperiment(journal, agent, { expectation: { says: 'Ada' }, models: ['z'] });
    expect(given.variants.map(({ name }) => name)).toEqual(['model `z`']);
    const failing = { ...inference, otherModels: () => Promise.reject(new Error('offline')) };
    const without = await planExperiment(
      journal,
      { ...agent, inference: failing },
      { expectation: { says: 'Ada' } },
    );
    expect(without.variants).toEqual([]);
  });

  it('a person tries another prompt, another description and a given result', async () => {
    const { journal, agent } = await find({
      systemPrompt: 'Be shy.',
      inference: modelThat((request) => ({
        text: sees(request, 'bold') || JSON.stringify(request.tools).includes('bold') ? 'Ada' : '-',
      })),
      tools: [defineTool({ name: 'look', description: 'x', input: z.object({}), execute: () => 1 })],
    });
    const variants = [
      { name: 'the edited prompt', edit: { systemPrompt: 'Be bold.' } },
      { name: 'another description of `look`', edit: { descriptions: { look: 'bold' } } },
      { name: 'nothing', edit: {} },
    ];
    const found = await runExperiment(journal, agent, { expectation: { says: 'Ada' }, variants });
    expect(found.sentence).toBe('With the edited prompt it says "Ada": 5 of 5. As it was: 0 of 5.');
    expect(found.rows.filter(({ isConfirmed }) => isConfirmed).map(({ met }) => met)).toEqual([5, 5]);
  });
});

describe('the effects and the calls of an experiment', () => {
  it('a call that the record does not have ends its sample, and decides only what is about calls', async () => {
    const acts: unknown[] = [];
    const mail = defineTool({
      name: 'mail',
      description: '',
      input: z.object({ to: z.string() }),
      execute: (input) => void acts.push(input),
    });
    let to = 'Ada';
    const inference = modelThat((request) =>
      request.messages.some(({ role }) => role === 'tool')
        ? { text: 'Sent' }
        : { toolCalls: [{ name: 'mail', input: { to } }] },
    );
    const agent = scriptedAgent([], { inference, tools: [mail] });
    const journal = await record(agent, say('Write'));
    [to, acts.length] = ['Eve', 0];
    const text = await runExperiment(journal, agent, { expectation: { says: 'Done' }, cap: { calls: 60 } });
    expect(text.sentence).toBe(
      'The run cannot be compared with itself. It ended at mail({"to":"Eve"}): the record has no such call, and it was not made.',
    );
    const never = await runExperiment(journal, agent, {
      expectation: { neverCalls: { tool: 'mail' } },
      cap: { calls: 60 },
    });
    expect(never.rows[0]).toMatchObject({ met: 0, of: 5, why: 'It calls mail({"to":"Eve"}).' });
    expect(acts).toEqual([]);
  });

  it('the model calls of hooks count, and plugins open nothing', async () => {
    const opened: string[] = [];
    const hookCalls: number[] = [];
    const asking = defineHook({
      name: 'asking',
      on: 'before-inference',
      run: (_state, ctx) => ctx.callModel({ input: 'x', call: () => void hookCalls.push(1) }),
    });
    const open = definePlugin({ id: 'open', state: z.unknown(), open: () => void opened.push('open') });
    const { found, asked } = await find(
      { hooks: [asking, dropping], plugins: [open], retry: { maxAttempts: 1 } },
      { options: { cap: { calls: 40 } } },
    );
    expect(opened).toEqual(['open']);
    expect(asked + hookCalls.length - 1).toBe(found.calls);
    expect(found.calls).toBeLessThanOrEqual(40);
  });

  it('money above the cap is not spent', async () => {
    const usage = { inputTokens: 10, outputTokens: 1000, totalTokens: 1010 };
    const priced = {
      llmConfig: { model: 'm', settings: { maxOutputTokens: 1000 }, prices: { m: { input: 1, output: 1 } } },
    };
    const inference = modelThat(() => ({ text: 'No', usage }));
    const { found } = await find({ inference, ...priced }, { options: { cap: { cost: 0.004 } } });
    expect(found.cost).toBeLessThanOrEqual(0.004);
    expect(found.cost).toBeGreaterThan(0);
    expect(found.sentence).toContain('Known so far');
  });
});

describe('experiments that cannot be made', () => {
  it('a cap of 0, or one that is too small, is told before any call', async () => {
    expect((await find({}, { base: say('Who?'), options: { cap: { calls: 0 } } })).found).toMatchObject({
      sentence: 'The cap allows no call, so nothing was tried.',
      calls: 0,
    });
    const small = await find({}, { base: say('Who?'), options: { cap: { calls: 4 } } });
    expect([small.found.sentence, small.asked]).toEqual([
      '4 calls are too few: 5 samples of the run and one change take about 6.',
      0,
    ]);
  });

  it('a run with a cost that is sampled elsewhere is tried without a cap of money, and one that is given is refused', async () => {
    const usage = { inputTokens: 10, outputTokens: 10, totalTokens: 20, cost: 0.01 };
    const agent = scriptedAgent([], { inference: modelThat(() => ({ text: 'No', usage })) });
    const journal = await record(agent, say('Who?'));
    const elsewhere = {
      begin: () => undefined,
      takes: () => true,
      sample: () => Promise.reject(new Error()),
    };
    const options = { expectation: { says: 'Ada' }, elsewhere };
    const { cap, experiment } = await planExperiment(journal, agent, options);
    expect([cap.cost, experiment]).toEqual([null, null]);
    const refused = await planExperiment(journal, agent, { ...options, cap: { cost: 1 } });
    expect(refused.experiment?.sentence).toContain('only the number of calls can be capped');
  });

  it('a run that meets the expectation already, and one that varies, are told so', async () => {
    expect((await find({})).found.sentence).toBe(
      'The recorded run meets it: it knows the name. Choose a run that does not.',
    );
    let asked = 0;
    const inference = modelThat(() => ({ text: [1, 3, 5].includes(asked++) ? 'Ada' : 'No' }));
    expect((await find({ inference })).found.sentence).toBe('It varies: 3 of 5 without a change.');
  });

  it('a model that fails in the middle leaves what is known so far', async () => {
    let asked = 0;
    const inference = modelThat(() => (asked++ < 6 ? { text: 'No' } : { error: { message: 'Overloaded' } }));
    const { found } = await find({ inference, hooks: [dropping], retry: { maxAttempts: 1 } });
    expect(found.sentence).toBe('The model failed: Overloaded. Known so far: As it was: 0 of 5.');
    expect(found.rows[0]).toMatchObject({ met: 0, of: 5 });
  });

  it('a person who stops it keeps what is known so far', async () => {
    const stop = new AbortController();
    const { found } = await find(
      { hooks: [dropping] },
      { options: { signal: stop.signal, onProgress: () => stop.abort() } },
    );
    expect(found).toMatchObject({
      sentence: expect.stringContaining('Known so far: As it was: 0 of 5.') as string,
      calls: 5,
    });
  });

  it('a journal of another version, a tool that is gone and an expectation that none can meet are sentences', async () => {
    const look = defineTool({ name: 'look', description: '', input: z.object({}), execute: () => 1 });
    const inference = modelThat((request) =>
      request.messages.some(({ role }) => role === 'tool')
        ? { text: 'No' }
        : { toolCalls: [{ name: 'look', input: {} }] },
    );
    const { journal } = await find({ inference, tools: [look] }, { base: say('Who?') });
    const agent = scriptedAgent([{ text: 'No' }]);
    const says = { expectation: { says: 'Ada' } };
    await expect(runExperiment(journal, agent, says)).rejects.toThrow(
      'The agent has no tool "look" any more',
    );
    await expect(runExperiment({ ...journal, format: 9 }, agent, says)).rejects.toThrow('Update the library');
    await expect(runExperiment(journal, agent, { expectation: { asksAtMost: 0 } })).rejects.toThrow(
      'No run can meet it',
    );
    const other = await record(agent, say('Who?'));
    await expect(runExperiment(other, agent, { expectation: { calls: { tool: 'fly' } } })).rejects.toThrow(
      'the agent has no tool "fly"',
    );
  });
});

describe('the plan of an experiment', () => {
  it('parts that findings name or that acted come before those that did nothing', async () => {
    const idle = defineHook({ name: 'idle', on: 'after-step', run: () => undefined });
    const { journal, agent } = await find({ hooks: [idle, dropping] });
    const { variants, estimate, start } = await planExperiment(journal, agent, {
      expectation: { says: 'Ada' },
    });
    const names = variants.map(({ name }) => name);
    expect(names[0]).toBe('hook `save-tokens` off');
    expect(names.at(-1)).toBe('hook `idle` off');
    expect([estimate.calls <= 30, start.stepId]).toEqual([true, null]);
  });
});

it('the exact test of Fisher has the published probabilities', () => {
  // The lady tasting tea, and the counts of an experiment.
  expect(fisher(3, 4, 1, 4)).toBeCloseTo(0.4857, 4);
  expect(fisher(5, 5, 0, 5)).toBeCloseTo(0.0079, 4);
  expect(fisher(5, 5, 1, 5)).toBeCloseTo(0.0476, 4);
  expect(fisher(0, 5, 0, 5)).toBe(1);
});
