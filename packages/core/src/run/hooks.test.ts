import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from './events.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { createAgentLoop } from './create-agent-loop.ts';
import * as AgentState from './agent-state.ts';
import { asked, scriptedAgent } from '../testing/fixtures.ts';
import { fixedEnv } from '../testing/fixed-env.ts';
import { definePlugin } from '../agent/plugin/plugin.ts';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool } from '../agent/tool.ts';
import { defineHook, type Hook, type HookInit } from '../agent/hook.ts';

const ok = defineTool({ name: 'ok', description: '', input: z.object({}), execute: () => 'ok' });
const call = { toolCalls: [{ name: 'ok', input: {} }] };
const hook = (name: string, init: Omit<HookInit, 'name'>): Hook => defineHook({ name, ...init });
const run = async (
  hooks: Hook[],
  script: Parameters<typeof scriptedAgent>[0] = [{ text: 'x' }],
  options = {},
): Promise<{ state: ReturnType<typeof asked>; events: AgentEvent[] }> => {
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(scriptedAgent(script, { hooks, tools: [ok] }), {
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { state: await loop.execute(asked()), events };
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
    const state = await loop.execute(asked(), { signal: controller.signal });
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
    const state = await loop.execute(PluginState.set(asked(), notes, 'secret'));
    expect(PluginState.get(state, notes)).toBeUndefined();
  });

  it('a slow hook does not change the time at which its call ended', async () => {
    const env = fixedEnv();
    const slow = hook('slow', { on: 'after-tool-use', run: () => env.advance(500) });
    const agent = scriptedAgent([call, { text: 'x' }], { hooks: [slow], tools: [ok] });
    const state = await createAgentLoop(agent, { env }).execute(asked('Hello', env));
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
