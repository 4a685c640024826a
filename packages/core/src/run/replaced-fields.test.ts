import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentInit } from '../agent/agent-definition.ts';
import { defineHook, type HookContext, type HookFields, type HookPoint } from '../agent/hook.ts';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { systemEnv } from '../graph/env.ts';
import { user } from '../graph/message.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fold } from './apply.ts';
import type { AgentEvent } from './events.ts';
import { createJournal } from './journal.ts';
import { runOnJournal } from '../agent-loop/run-on-journal.ts';
import { definePlugin } from '../features/define-plugin.ts';

const tool = defineTool({ name: 'tool', description: '', input: z.any(), execute: () => 1 });
const script = [{ toolCalls: [{ name: 'tool', input: {} }] }, { text: 'answer' }];

/** Runs to the end, and checks the laws of every run. */
async function run(init: Partial<AgentInit>) {
  const events: AgentEvent[] = [];
  const journal = createJournal(ask(), { env: systemEnv });
  journal.subscribe((event) => void events.push(event));
  const agent = scriptedAgent(script, { tools: [tool], budget: { maxSteps: 4 }, ...init });
  const end = await runOnJournal({ agent, lease: journal.lease().lease, env: systemEnv });
  const state = journal.state();
  expect(end).toBe('ended');
  expect(events.filter(({ type }) => type === 'execution-end')).toHaveLength(1);
  expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
  const changes = events.filter(({ seq }) => seq !== null);
  expect(fold(journal.base, JSON.parse(JSON.stringify(changes)) as AgentEvent[])).toEqual(state);
  return state;
}

const places: { readonly [Field in keyof HookFields]: HookPoint } = {
  request: 'before-inference',
  response: 'after-inference',
  toolCall: 'before-tool-use',
  blocked: 'before-tool-use',
  execution: 'after-tool-use',
  errors: 'on-error',
};
const keys = [
  'model messages tools toolChoice responseFormat settings id finishReason usage durationMs firstDeltaMs',
  'explanation name input reason stopBatch status error result toolCall settledAt',
].flatMap((names) => names.split(' '));

const replacing = (field: keyof HookFields, make: (given: unknown) => unknown, on = places[field]) =>
  defineHook({
    name: 'odd',
    on,
    run: (_state, ctx: HookContext) => ctx.replace(field, make(ctx.fields[field]) as never),
  });

const odd = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
  fc.constantFrom('requested', 'running', 'awaiting-approval', 'completed', 'stop', 'tool', 'auto', NaN, -0),
  fc.constantFrom<unknown>(new Error('x'), { apiKey: 'k' }, [{ role: 'user', parts: [] }], [{ name: 'n' }]),
);
const change = fc.dictionary(fc.constantFrom(...keys), odd, { maxKeys: 4 });

describe('a field that a hook replaces', () => {
  it.each(Object.keys(places) as (keyof HookFields)[])(
    '%s: the run ends once, can be saved, and folds to the same state',
    (field) =>
      fc.assert(
        fc.asyncProperty(odd, change, fc.boolean(), async (value, changes, isWhole) => {
          const hooks = [
            replacing(field, (given) => (isWhole ? value : { ...(given as object), ...changes })),
            ...(field === 'errors'
              ? [
                  defineHook({
                    name: 'fails',
                    on: 'after-step',
                    run: () => Promise.reject(new Error('x')),
                  }),
                ]
              : []),
          ];
          await run({ hooks });
        }),
        { numRuns: 60 },
      ),
  );

  it.each(['requested', 'running', 'awaiting-approval', 'anything'])(
    'a result with an invalid status (%s) fails the run and does not start the call again',
    async (status) => {
      for (const on of ['before-tool-use', 'after-tool-use'] as const) {
        const hook = replacing('execution', (given) => ({ ...(given as object), status }), on);
        const state = await run({ hooks: [hook] });
        expect(AgentState.status(state)).toBe('failed');
        expect(AgentState.errors(state)).toContainEqual(
          expect.objectContaining({
            code: 'hook-contract',
            data: { hook: 'odd', point: on, field: 'execution' },
          }),
        );
      }
    },
  );

  it('a secret in a replaced request is rejected and does not enter the state', async () => {
    const state = await run({
      hooks: [replacing('request', (given) => ({ ...(given as object), settings: { apiKey: 'sk-canary' } }))],
    });
    expect(AgentState.errors(state)).toMatchObject([{ code: 'llm-settings-secret' }]);
    expect(JSON.stringify(AgentState.toJSON(state))).not.toContain('sk-canary');
  });

  it('reported usage counts although a hook replaces the response', async () => {
    const usage = { inputTokens: 5, outputTokens: 7 };
    const { inference } = scriptedAgent([{ text: 'x', usage }]);
    const state = await run({ inference, hooks: [replacing('response', () => ({ finishReason: 'stop' }))] });
    expect(AgentState.usage(state)).toMatchObject({ ...usage, totalTokens: 12 });
  });

  it.each([[{ request: {} }], ['requests'], [undefined]])(
    'a replacement whose field is %j fails the run with a sentence that says how to write it',
    async (field) => {
      const hook = defineHook({
        name: 'h',
        on: 'before-inference',
        run: (_state, ctx) => ctx.replace(field as never, {} as never),
      });
      const state = await run({ hooks: [hook] });
      const message = expect.stringContaining("Write ctx.replace('request', value)");
      expect(AgentState.errors(state)).toMatchObject([{ code: 'hook-contract', message }]);
    },
  );

  it('a replacement after the end of the hook is ignored', async () => {
    let late = (): void => undefined;
    const hooks = [
      defineHook({
        name: 'late',
        on: 'before-inference',
        priority: 1,
        run: (_state, ctx) => void (late = () => ctx.replace('request', { model: 'late' } as never)),
      }),
      defineHook({ name: 'next', on: 'before-inference', run: () => late() }),
    ];
    const state = await run({ hooks });
    expect(AgentState.steps(state).map(({ sent }) => sent?.model)).toEqual([null, null]);
  });
});

describe('values of prepare and of compilers', () => {
  it.each([
    5,
    'x',
    [[]],
    { tools: 5 },
    { tools: [{}] },
    { context: ['x'] },
    { context: [{}] },
    { instructions: {} },
  ])('a prepare that returns %j fails the run with the name of its plugin', async (prepared) => {
    const plugin = definePlugin({ id: 'p', state: z.any(), prepare: () => prepared as never });
    const state = await run({ plugins: [plugin] });
    expect(AgentState.errors(state)).toMatchObject([{ code: 'hook-contract', data: { pluginId: 'p' } }]);
    expect(AgentState.errors(state)[0]?.message).toContain('prepare of plugin "p"');
  });

  it('messages that a compiler makes can be saved with the step that was sent them', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(odd, change)), async (list) => {
        await run({
          compileMessages: (state) => [...AgentState.messages(state), ...list] as never,
        });
      }),
      { numRuns: 60 },
    ));

  it('messages of the conversation keep their identity after those of a compiler', async () => {
    const state = await run({
      compileMessages: (current) => [user('first'), ...AgentState.messages(current)],
    });
    const [step] = AgentState.steps(state);
    expect(step?.sent?.extra).toHaveLength(1);
    expect(step?.sent?.messages).toHaveLength(2);
  });
});

describe('a state that a hook built by hand', () => {
  const odd = (change: (state: ReturnType<typeof ask>) => unknown) =>
    defineHook({ name: 'odd', on: 'after-step', run: (state) => change(state) as never });
  const within = (context: object) =>
    odd((state) => ({ ...state, context: { ...state.context, ...context } }));
  const messages = [{ role: 'user', parts: 'x' }];

  it.each([
    ['a form of answer that is none', within({ responseFormat: 5 })],
    ['a prompt that is no text', within({ systemPrompt: undefined })],
    ['a section without a name', within({ store: { sections: [{ name: 5, messages }] } })],
    ['plugin state without a version', odd((state) => ({ ...state, plugins: { p: { data: 1 } } }))],
    ['plugin state that is none', odd((state) => ({ ...state, plugins: { p: 5 } }))],
    [
      'prices that are no numbers',
      odd((state) => ({ ...state, llmConfig: { prices: { m: { input: 'x' } } } })),
    ],
    [
      'an error that is its own cause',
      odd((state) => {
        const error: Record<string, unknown> = { name: 'x' };
        error['cause'] = error;
        return { ...state, execution: { ...state.execution, errors: [error] } };
      }),
    ],
  ])('a state built by hand with %s can be saved', async (_title, hook) => {
    await run({ hooks: [hook] });
  });
});
