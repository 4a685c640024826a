import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from './events.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import * as AgentState from './agent-state.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool } from '../agent/tool.ts';
import { defineHook, type Hook, type HookInit } from '../agent/hook.ts';
import { definePlugin } from '../features/define-plugin.ts';

const ok = defineTool({ name: 'ok', description: '', input: z.object({}), execute: () => 'ok' });
const call = { toolCalls: [{ name: 'ok', input: {} }] };
const hook = (name: string, init: Omit<HookInit, 'name'>): Hook => defineHook({ name, ...init });
const run = async (
  hooks: Hook[],
  script: Parameters<typeof scriptedAgent>[0] = [{ text: 'x' }],
  options = {},
): Promise<{ state: ReturnType<typeof ask>; events: AgentEvent[] }> => {
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(scriptedAgent(script, { hooks, tools: [ok] }), {
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { state: await loop.execute(ask()), events };
};

describe('the hooks of a run', () => {
  it('hooks run in the order of one run', async () => {
    const seen: string[] = [];
    await run(
      [hook('all', { on: 'all', run: (_state, ctx) => void seen.push(ctx.point) })],
      [call, { text: 'x' }],
    );
    expect(seen.join(' ')).toBe(
      'before-execution before-step before-inference after-inference before-tool-use after-tool-use after-step before-step before-inference after-inference after-step on-stop after-execution',
    );
  });

  it('a hook that continues the run after an error leaves that error recorded once', async () => {
    const failing = hook('go on', {
      on: 'after-step',
      run: (state) => (AgentState.stepCount(state) === 1 ? AgentState.withExecutionContinued(state) : state),
    });
    const { state } = await run([failing], [{ error: { message: 'no' } }, { text: 'x' }]);
    expect(AgentState.errors(state).map(({ message }) => message)).toEqual(['no']);
  });

  it('the hooks at the end of a run finish also after an abort', async () => {
    const controller = new AbortController();
    const late = hook('late', {
      on: ['on-stop', 'after-execution'],
      async run(state, ctx) {
        await Promise.resolve();
        expect(ctx.signal.aborted).toBe(false);
        return AgentState.withMetadata(state, { [ctx.point]: true });
      },
    });
    const agent = scriptedAgent([{ text: 'long', delayMs: 10_000 }], { hooks: [late] });
    const loop = createAgentLoop(agent, {
      onEvent: ({ type }) => type === 'inference-start' && controller.abort(),
    });
    const state = await loop.execute(ask(), { signal: controller.signal });
    expect(AgentState.stopReason(state)).toBe('user-requested');
    expect(AgentState.metadata(state)).toEqual({ 'on-stop': true, 'after-execution': true });
  });

  it('an error hook finds all calls of its step ended, also those that never ran', async () => {
    const seen: unknown[] = [];
    const throws = hook('throws', { on: 'before-tool-use', run: () => Promise.reject(new Error('no')) });
    const hears = hook('hears', {
      on: 'on-error',
      run: (state) =>
        void seen.push(AgentState.currentStep(state)?.toolExecutions.map(({ status }) => status)),
    });
    await run([throws, hears], [{ toolCalls: [...call.toolCalls, ...call.toolCalls] }, { text: 'x' }]);
    expect(seen).toEqual([['interrupted', 'interrupted']]);
  });

  it('a hook may forget the state of a plugin', async () => {
    const notes = definePlugin({ id: 'notes', state: z.string() });
    const forgets = hook('forgets', { on: 'after-step', run: (state) => PluginState.reset(state, notes) });
    const loop = createAgentLoop(scriptedAgent([{ text: 'x' }], { hooks: [forgets], plugins: [notes] }));
    const state = await loop.execute(PluginState.set(ask(), notes, 'secret'));
    expect(PluginState.get(state, notes)).toBeUndefined();
  });

  it('a slow hook does not change the time at which its call ended', async () => {
    const env = fixedEnv();
    const slow = hook('slow', { on: 'after-tool-use', run: () => env.advance(500) });
    const agent = scriptedAgent([call, { text: 'x' }], { hooks: [slow], tools: [ok] });
    const state = await createAgentLoop(agent, { env }).execute(ask('Hello', env));
    const [execution] = AgentState.steps(state)[0]!.toolExecutions;
    expect(execution!.settledAt! - execution!.completedAt!).toBe(500);
  });

  it('a hook may replace the request, the call and the result', async () => {
    const requests: InferenceRequest[] = [];
    const { state } = await run(
      [
        hook('request', {
          on: 'before-inference',
          run: (_state, ctx) => ctx.replace('request', { ...ctx.fields.request!, model: 'other' }),
        }),
        hook('result', {
          on: 'after-tool-use',
          run: (_state, ctx) => ctx.replace('execution', { ...ctx.fields.execution!, result: 'replaced' }),
        }),
      ],
      [(request) => (requests.push(request), call as never), { text: 'x' }],
    );
    expect(requests[0]?.model).toBe('other');
    expect(AgentState.messages(state).find(({ role }) => role === 'tool')?.parts[0]).toMatchObject({
      output: 'replaced',
    });
  });
});

/** Lets some reactions of promises pass. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

/** One call of a step: how long its tool and each of its hooks take, and whether a person is asked first. */
const plannedCall = fc.record({
  tool: fc.nat(12),
  hook: fc.nat(6),
  isAsked: fc.boolean(),
});

describe('the hooks of parallel calls', () => {
  it('hooks of parallel calls lose no write, and those after the calls run in call order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(plannedCall, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (plan, toolConcurrency) => {
          const input = z.object({ at: z.number() });
          const planned = defineTool({
            name: 'planned',
            description: '',
            input,
            needsApproval: ({ at }) => plan[at]!.isAsked,
            execute: ({ at }) => turns(plan[at]!.tool),
          });
          const after: unknown[] = [];
          const counting = hook('counting', {
            on: ['before-tool-use', 'after-tool-use'],
            async run(state, { point, fields: { toolCall, execution } }) {
              const { at } = (execution?.toolCall ?? toolCall)!.input as { at: number };
              await turns(plan[at]!.hook);
              if (point === 'after-tool-use') after.push(at);
              const count = Number(AgentState.metadata(state)['count'] ?? 0);
              return AgentState.withMetadata(state, { count: count + 1 });
            },
          });
          const toolCalls = plan.map((_call, at) => ({ name: 'planned', input: { at } }));
          const init = { hooks: [counting], tools: [planned], toolConcurrency };
          const agent = scriptedAgent([{ toolCalls }, { text: 'x' }], init);
          const state = await createAgentLoop(agent).execute(ask());
          const ran = plan.flatMap(({ isAsked }, at) => (isAsked ? [] : [at]));
          expect(after).toEqual(ran);
          expect(AgentState.metadata(state)['count']).toBe(plan.length + ran.length);
          expect(AgentState.status(state)).toBe(ran.length < plan.length ? 'in-progress' : 'completed');
        },
      ),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
    ));

  it('a call behind a slow one lets the next call start while its hooks wait', async () => {
    let end = (): void => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const started: number[] = [];
    const tool = defineTool({
      name: 'planned',
      description: '',
      input: z.object({ at: z.number() }),
      async execute({ at }) {
        started.push(at);
        if (at === 3) end();
        if (at === 0) await slow;
      },
    });
    const settled: unknown[] = [];
    const noting = hook('noting', {
      on: 'after-tool-use',
      run: (_state, { fields }) => void settled.push((fields.execution!.toolCall.input as { at: number }).at),
    });
    const toolCalls = [0, 1, 2, 3].map((at) => ({ name: 'planned', input: { at } }));
    const agent = scriptedAgent([{ toolCalls }, { text: 'x' }], {
      hooks: [noting],
      tools: [tool],
      toolConcurrency: 2,
    });
    await createAgentLoop(agent).execute(ask());
    expect([started, settled]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });
});
