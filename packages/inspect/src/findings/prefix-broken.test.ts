import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineHook, type HookContext } from '@vitrine/core/internal/agent/hook';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { plans, play } from '@vitrine/core/internal/features/told-agents.fixture';
import { work } from '@vitrine/core/internal/kit/work';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { diagnose } from './diagnose.ts';
import type { Finding } from './finding.ts';
import { findingsOf, type SeededFault, type SeededRun, testSeededFaults } from './seeded-faults.fixture.ts';

type Init = Partial<AgentInit>;
type Request = NonNullable<HookContext['fields']['request']>;

/** A plugin whose `prepare` counts the calls. */
const plugin = (
  id: string,
  prepare: (n: number) => ReturnType<NonNullable<Parameters<typeof definePlugin>[0]['prepare']>>,
) => {
  let n = 0;
  return definePlugin({ id, state: z.number(), initial: 0, prepare: () => prepare(++n) });
};

/** A hook that writes another request for each call. */
const writer = (name: string, write: (request: Request, n: number) => Request) => {
  let n = 0;
  return defineHook({
    name,
    on: 'before-inference',
    run: (_state, ctx) => ctx.replace('request', write(ctx.fields.request!, ++n)),
  });
};

const peek = fakeTool('peek', 'seen');
const moving = {
  prompt: () => ({ plugins: [plugin('clock', (n) => ({ instructions: `It is step ${n}.` }))] }),
  tools: () => ({ plugins: [plugin('gate', (n) => (n % 2 === 1 ? { tools: [peek] } : {}))] }),
  messages: () => ({
    hooks: [
      writer('trim', (request, n) => ({
        ...request,
        messages: request.messages.map((message, at) =>
          at === 1 ? { ...message, parts: [{ type: 'text', text: `Call ${n}` }] } : message,
        ),
      })),
    ],
  }),
  settings: () => ({
    hooks: [
      writer('think', (request, n) => ({
        ...request,
        settings: { ...request.settings, reasoning: n % 2 === 1 ? 'low' : 'high' },
      })),
    ],
  }),
  model: () => ({
    hooks: [writer('cheap', (request, n) => ({ ...request, model: n % 2 === 1 ? 'm' : 'n' }))],
  }),
} satisfies Record<string, () => Pick<Init, 'plugins' | 'hooks'>>;
const writers: Readonly<Record<string, string>> = {
  prompt: 'clock',
  tools: 'gate',
  messages: 'trim',
  settings: 'think',
  model: 'cheap',
};

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const reading = (init: Init = {}): SeededRun => ({
  script: [1, 2, 3, 4].map((n) => ({
    ...(n < 4 ? { toolCalls: [{ name: 'ok', input: { n } }] } : { text: 'Done.' }),
    usage: { inputTokens: 2000 + n * 100, outputTokens: 10 },
  })),
  init: {
    systemPrompt: 'You read. '.repeat(50),
    tools: [fakeTool('ok', 1)],
    llmConfig: { model: 'm', settings: {}, prices: { m: price, n: price } },
    ...init,
  },
});
const healthy = reading({
  plugins: [
    plugin('clock', (n) => ({ context: [{ name: 'Time', content: String(n) }], instructions: 'Be brief.' })),
  ],
  hooks: [
    writer('observer', (request) => ({ ...request, settings: { ...request.settings, temperature: 0 } })),
    writer('warmer', (request, n) => ({ ...request, settings: { ...request.settings, temperature: n } })),
  ],
});

const says: Readonly<Record<string, RegExp>> = {
  prompt:
    /^Plugin "clock" changed the system prompt, at character 513 \(3 times\): a prompt cache could not read [\d,]+ tokens/,
  tools: /^Plugin "gate" changed tool 2 of the request \(3 times\).*6,600 tokens.*cost up to 0\.0\d+ more/,
  messages: /^Hook "trim" changed message 1 behind the prompt/,
  settings: /^Hook "think" changed the setting reasoning/,
  model: /^Hook "cheap" changed the model \(3 times\)/,
};
const faults: readonly SeededFault[] = Object.entries(moving).map(([where, init]) => ({
  code: 'prefix-broken',
  fault: reading(init()),
  twin: healthy,
  says: says[where] as RegExp,
  severity: 'hint',
}));
testSeededFaults(faults);

const broken = (found: readonly Finding[]): readonly Finding[] =>
  found.filter(({ code }) => code === 'prefix-broken');

describe('the finding of a broken prefix', () => {
  it('the place, both texts, the tokens and the price are facts of the finding', async () => {
    const run = reading(moving.settings());
    const [finding] = broken(
      await findingsOf({
        ...run,
        state: (env) => ({
          ...ask('Read.', env),
          llmConfig: { model: 'm', settings: {}, prices: { m: price } },
        }),
      }),
    );
    const { tokens, cost, ...facts } = finding?.evidence ?? {};
    expect(facts).toMatchObject({
      where: 'settings',
      who: 'think',
      times: 3,
      place: 'the setting reasoning',
      before: '"low"',
      after: '"high"',
    });
    // The tools and the prompt stay the same in front of it.
    expect(tokens).toBeGreaterThan(5500);
    expect(tokens).toBeLessThan(6600);
    expect(cost).toBeCloseTo((Number(tokens) * 2.7) / 1_000_000, 5);
  });

  it('a provider that read the request all the same has no finding', async () => {
    const run = reading(moving.settings());
    const script = run.script.map((step) => ({
      ...(step as object),
      usage: { inputTokens: 2400, outputTokens: 9, cacheReadTokens: 2300 },
    }));
    expect(broken(await findingsOf({ ...run, script }))).toEqual([]);
  });

  it('a change between two runs is found and its writer named, and a new turn alone is none', async () => {
    let note = 'A';
    const told = definePlugin({
      id: 'notes',
      state: z.unknown(),
      prepare: () => ({ instructions: `Note ${note}` }),
    });
    const agent = scriptedAgent(
      Array.from({ length: 9 }, (_, n) =>
        n % 2 === 0 ? { toolCalls: [{ name: 'ok', input: {} }] } : { text: 'Done.' },
      ),
      { tools: [fakeTool('ok', 1)], plugins: [told] },
    );
    const session = createAgentSession({ agent, publish: 'immediate' });
    const base = session.store.getState().state;
    const events: AgentEvent[] = [];
    session.onEvent((event) => events.push(event));
    await session.sendMessage('One.');
    await session.sendMessage('Two.');
    await session.regenerate();
    expect(broken(diagnose({ base, events }))).toEqual([]);
    note = 'B';
    await session.sendMessage('Three.');
    await session.dispose();
    const found = broken(diagnose({ base, events }));
    expect(found.map(({ evidence }) => [evidence['where'], evidence.who, evidence['times']])).toEqual([
      ['prompt', 'notes', 1],
    ]);
  });

  it('the application is named for a prompt that it replaced between two runs', async () => {
    const agent = scriptedAgent([{ text: 'One.' }, { text: 'Two.' }], { systemPrompt: 'Old.' });
    const session = createAgentSession({ agent, publish: 'immediate' });
    const base = session.store.getState().state;
    const events: AgentEvent[] = [];
    session.onEvent((event) => events.push(event));
    await session.sendMessage('One.');
    await session.update((state) => ({
      ...state,
      context: { ...state.context, systemPrompt: 'New.' },
    }));
    await session.sendMessage('Two.');
    await session.dispose();
    expect(broken(diagnose({ base, events })).map(({ evidence }) => evidence.who)).toEqual(['app']);
  });

  it.each([
    ['a prompt that moves', moving.prompt],
    [
      'a message at the end that only one request has',
      () => ({
        hooks: [
          writer('reminder', (request, n) => ({
            ...request,
            messages: [
              ...request.messages,
              { ...request.messages[1]!, id: `reminder ${n}`, parts: [{ type: 'text', text: `Left: ${n}` }] },
            ],
          })),
        ],
      }),
    ],
  ])('the work of the comparison grows with the steps of a run with %s', async (_what, init) => {
    const unitsOf = async (count: number): Promise<number> => {
      const calling = { toolCalls: [{ name: 'ok', input: {} }], usage: { inputTokens: 9, outputTokens: 9 } };
      const env = fixedEnv();
      const agent = scriptedAgent([...Array.from({ length: count }, () => calling), { text: 'The end' }], {
        tools: [fakeTool('ok', 1)],
        budget: { maxSteps: count + 1 },
        ...init(),
      });
      const base = ask('Hello', env);
      const events: AgentEvent[] = [];
      await createAgentLoop(agent, { env, onEvent: (event) => events.push(event) }).execute(base);
      const before = work.units;
      expect(broken(diagnose({ base, events }))).toHaveLength(1);
      return work.units - before;
    };
    expect((await unitsOf(200)) / (await unitsOf(50))).toBeLessThan(6);
  });
});

const numRuns = Number(process.env['PROVE_RUNS'] ?? 25);

describe('random conversations of agents whose plugins tell context', () => {
  const calm = plans.map((plan) => ({
    ...plan,
    sums: false,
    moves: plan.moves.filter((move) => move !== 'steer'),
  }));

  it('a prefix that nobody broke has no finding', async () => {
    await fc.assert(
      fc.asyncProperty(calm, async (plan) => {
        const { journals } = await play(plan);
        for (const journal of journals) expect(broken(diagnose(journal))).toEqual([]);
      }),
      { numRuns },
    );
  }, 300_000);

  it('each planted change is found with its place and its writer', async () => {
    const places = fc.constantFrom(...(Object.keys(moving) as (keyof typeof moving)[]));
    await fc.assert(
      fc.asyncProperty(calm, places, async (plan, where) => {
        // A run that goes on after an answer prepares once more without a request, so two requests may have the same tools.
        fc.pre(where !== 'tools' || !plan.answers.includes('ask'));
        const { calls: all, journals } = await play(plan, moving[where]());
        const ends = journals.flatMap(({ events }) => events.filter(({ type }) => type === 'inference-end'));
        expect(ends).toHaveLength(all.length);
        for (const journal of journals) {
          const found = broken(diagnose(journal));
          const calls = journal.events.filter(({ type }) => type === 'inference-end').length;
          const expected = calls < 2 ? [] : [`${where} ${writers[where]}`];
          expect([
            ...new Set(found.map(({ evidence }) => `${String(evidence['where'])} ${evidence.who}`)),
          ]).toEqual(expected);
        }
      }),
      { numRuns },
    );
  }, 300_000);
});
