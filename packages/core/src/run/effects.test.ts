import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import * as z from 'zod';
import type { AgentDefinition, AgentInit } from '../agent/agent-definition.ts';
import { defineAgent } from '../agent/define-agent.ts';
import { defineHook } from '../agent/hook.ts';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool } from '../agent/tool.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { none } from '../graph/usage.ts';
import type { AgentState as State } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { memoryEffects } from '@vitrine/testing/internal/memory-effects';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import * as AgentState from './agent-state.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { EffectLog } from './effect-log.ts';
import { fold } from './apply.ts';
import type { AgentChange, AgentEvent } from './events.ts';
import { agentOf, type Effects } from './random-agent.fixture.ts';
import { plan } from './random-plan.fixture.ts';
import { runAll } from './random-runs.fixture.ts';
import { definePlugin } from '../features/define-plugin.ts';

const roundTrip = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
const pay = { name: 'pay', input: {} };
const started = ({ type }: AgentEvent): boolean => type === 'tool-start';

/** Runs an agent to its end; the state at an event is what a crash there would leave, with all outcomes recorded. */
async function runUntilCrash(
  agent: AgentDefinition,
  effects: EffectLog,
  isThere: (event: AgentEvent) => boolean,
): Promise<State> {
  let found: State | null = null;
  await createAgentLoop(agent, {
    effects,
    onEvent: (event, state) => void (isThere(event) && (found ??= state)),
  }).execute(ask());
  if (found === null) throw new Error('The event did not come.');
  return roundTrip(found);
}

const resumed = (agent: AgentDefinition, effects: EffectLog, state: State): Promise<State> =>
  createAgentLoop(agent, { effects }).execute(state);

/** An agent with one tool, called once, and the number of its calls. */
function paying(
  execute: () => unknown,
  init: Partial<AgentInit> = {},
  errorMessage?: (error: unknown) => string,
): { readonly agent: AgentDefinition; readonly calls: () => number } {
  let calls = 0;
  const tool = defineTool({
    name: 'pay',
    description: '',
    input: z.object({}),
    effects: 'once',
    ...(errorMessage ? { errorMessage } : {}),
    execute: () => (calls++, execute()),
  });
  const agent = answering([{ toolCalls: [pay] }, { text: 'Done' }], { tools: [tool], ...init });
  return { agent, calls: () => calls };
}

/** An agent whose model continues the script by the answers in its request. */
function answering(script: readonly ScriptedEntry[], init: Partial<AgentInit> = {}): AgentDefinition {
  const inference: InferenceClient = {
    stream(request, options) {
      const at = request.messages.filter(({ role }) => role === 'assistant').length;
      return scriptedAgent([script[Math.min(at, script.length - 1)] ?? {}]).inference.stream(
        request,
        options,
      );
    },
  };
  return defineAgent({ name: 'a', inference, retry: { baseDelayMs: 0 }, ...init });
}

const firstCall = (state: State): ReturnType<typeof AgentState.steps>[number]['toolExecutions'][number] => {
  const call = AgentState.steps(state)[0]?.toolExecutions[0];
  if (call === undefined) throw new Error('There is no call.');
  return call;
};

describe('a `once` call that ran when a process died', () => {
  it('a call ends as interrupted without a log, and with its recorded result with one', async () => {
    const effects = memoryEffects();
    const { agent, calls } = paying(() => ({ paid: 5 }));
    const state = await runUntilCrash(agent, effects, started);
    const without = await createAgentLoop(agent).execute(state);
    expect(firstCall(without)).toMatchObject({ status: 'interrupted', error: { code: 'tool-interrupted' } });
    const ended = await resumed(agent, effects, state);
    expect(firstCall(ended)).toMatchObject({ status: 'completed', result: { paid: 5 }, error: null });
    expect(AgentState.status(ended)).toBe('completed');
    expect(calls()).toBe(1);
  });

  it('a call without a record is not made, and the model reads that it was interrupted', async () => {
    const { agent, calls } = paying(() => 'paid');
    const state = await runUntilCrash(agent, memoryEffects(), started);
    const ended = await resumed(agent, memoryEffects(), state);
    expect(firstCall(ended)).toMatchObject({
      status: 'interrupted',
      error: { message: 'Tool "pay" was interrupted while it ran; it may or may not have had its effect.' },
    });
    expect(calls()).toBe(1);
  });

  it('a recorded call brings its plugin writes and its changes of the state', async () => {
    const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 });
    const tool = defineTool({
      name: 'pay',
      description: '',
      input: z.object({}),
      effects: 'once',
      execute(_input, ctx) {
        ctx.plugin(counter).update((count = 0) => count + 1);
        ctx.update((before) => AgentState.withMetadata(before, { paid: 1 }));
        ctx.update((before) =>
          AgentState.withMetadata(before, { paid: Number(AgentState.metadata(before)['paid']) + 1 }),
        );
        return 'paid';
      },
    });
    const effects = memoryEffects();
    const init = { tools: [tool], plugins: [counter] };
    const agent = answering([{ toolCalls: [pay] }, { text: 'Done' }], init);
    const ended = await resumed(agent, effects, await runUntilCrash(agent, effects, started));
    expect([PluginState.get(ended, counter), AgentState.metadata(ended)]).toEqual([1, { paid: 2 }]);
    expect(firstCall(ended).pluginWrites).toEqual([{ pluginId: 'counter', fromRevision: 0, toRevision: 1 }]);
  });

  it('a recorded plugin write that a later one has overtaken is reported and not applied', async () => {
    const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 });
    const tool = defineTool({
      name: 'pay',
      description: '',
      input: z.object({}),
      effects: 'once',
      execute: (_input, ctx) => ctx.plugin(counter).set(1),
    });
    const effects = memoryEffects();
    const agent = answering([{ toolCalls: [pay] }, { text: 'Done' }], { tools: [tool], plugins: [counter] });
    const state = PluginState.set(await runUntilCrash(agent, effects, started), counter, 7);
    const ended = await resumed(agent, effects, state);
    expect(PluginState.get(ended, counter)).toBe(7);
    expect(AgentState.errors(ended).map(({ code }) => code)).toEqual(['plugin-state-conflict']);
  });

  it('a recorded failure keeps the words of its tool, and a recorded stop ends the run', async () => {
    const effects = memoryEffects();
    let words = 0;
    const failing = paying(
      () => Promise.reject(new Error('no money')),
      {},
      (error) => (words++, `Sorry: ${(error as Error).message}`),
    );
    const failed = await resumed(
      failing.agent,
      effects,
      await runUntilCrash(failing.agent, effects, started),
    );
    expect(firstCall(failed)).toMatchObject({ status: 'failed', error: { message: 'Sorry: no money' } });
    expect([failing.calls(), words]).toEqual([1, 1]);
    const stopping = paying(() => Promise.reject(new AgentStopError()));
    const stopped = await resumed(
      stopping.agent,
      effects,
      await runUntilCrash(stopping.agent, effects, started),
    );
    expect([AgentState.stopReason(stopped), stopping.calls()]).toEqual(['stop-requested', 1]);
  });
});

it('a random run with a log, resumed at any prefix, makes no `once` call twice, folds, and ends', async () => {
  const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);
  await fc.assert(
    fc.asyncProperty(plan, fc.nat(), async (planned, place) => {
      const env = fixedEnv();
      const log = memoryEffects();
      const before: Effects = new Map();
      const start = ask('Hello', env);
      const { entries } = await runAll(planned, agentOf(planned, before), env, start, log);
      const changes = entries.filter(({ event }) => event.seq !== null);
      const cut = changes[place % changes.length]!;
      if (AgentState.status(cut.state) !== 'in-progress') return;
      const again = { ...planned, abortAt: null };
      const after: Effects = new Map();
      const loaded = roundTrip(cut.state);
      const resumed = await runAll(again, agentOf(again, after), env, loaded, log);
      for (const [id, count] of after) expect(count + (before.get(id) ?? 0)).toBe(1);
      const end = resumed.journal.state();
      const events = resumed.entries.map(({ event }) => event).filter(({ seq }) => seq !== null);
      expect(fold(loaded, events as AgentChange[])).toEqual(end);
      expect(['completed', 'stopped', 'failed']).toContain(AgentState.status(end));
    }),
    { numRuns },
  );
});

describe('an effect log that fails', () => {
  const failing = (after: boolean): EffectLog => ({
    ...memoryEffects(),
    async perform(_effect, work, signal) {
      if (after) await work(signal);
      throw new AgentError('session-storage', 'The disk is full.');
    },
  });

  it('a call is not made when the log fails before it, and the model reads the error', async () => {
    const { agent, calls } = paying(() => 'paid');
    const ended = await createAgentLoop(agent, { effects: failing(false) }).execute(ask());
    expect(firstCall(ended)).toMatchObject({ status: 'failed', error: { code: 'session-storage' } });
    expect([calls(), AgentState.status(ended)]).toEqual([0, 'completed']);
  });

  it('a call whose outcome cannot be recorded ends as interrupted, with the error as its cause', async () => {
    const { agent, calls } = paying(() => 'paid');
    const ended = await createAgentLoop(agent, { effects: failing(true) }).execute(ask());
    expect(firstCall(ended)).toMatchObject({
      status: 'interrupted',
      error: { code: 'tool-interrupted', cause: { message: 'The disk is full.' } },
    });
    expect(calls()).toBe(1);
  });

  it('a stop ends a run whose log never answers', async () => {
    const controller = new AbortController();
    const effects = { ...memoryEffects(), perform: () => new Promise<never>(() => undefined) };
    const { agent } = paying(() => 'paid');
    const onEvent = (event: AgentEvent): void =>
      void (started(event) && setTimeout(() => controller.abort(), 5));
    const loop = createAgentLoop(agent, { effects, onEvent });
    const ended = await loop.execute(ask(), { signal: controller.signal });
    expect(AgentState.stopReason(ended)).toBe('user-requested');
    expect(firstCall(ended).status).toBe('interrupted');
  });
});

describe('a model call that ran when a process died', () => {
  const usage = { ...none(), inputTokens: 10, outputTokens: 5 };
  /** A model that fails `failures` times, and the number of its calls. */
  function model(failures = 0): { readonly agent: AgentDefinition; readonly ids: string[] } {
    const ids: string[] = [];
    const inference: InferenceClient = {
      async *stream(_request, { inferenceId = '' }) {
        ids.push(inferenceId);
        yield { type: 'text-delta', delta: 'x'.repeat(300) };
        if (ids.length <= failures)
          throw new AgentError('upstream-error', 'busy', { data: { retryable: true } });
        yield { type: 'text-delta', delta: 'whole' };
        yield { type: 'finish', finishReason: 'stop', usage };
      },
    };
    return { agent: defineAgent({ name: 'a', inference, retry: { baseDelayMs: 0 } }), ids };
  }
  const delta = ({ type }: AgentEvent): boolean => type === 'text-delta';

  it('a recorded answer is neither requested nor charged again', async () => {
    const effects = memoryEffects();
    const { agent, ids } = model();
    const ended = await resumed(agent, effects, await runUntilCrash(agent, effects, delta));
    expect([ids.length, AgentState.usage(ended).totalTokens]).toEqual([1, 15]);
    expect(AgentState.finalResponse(ended)).toBe(`${'x'.repeat(300)}whole`);
  });

  it('an answer without a record is requested again, and its first half is charged', async () => {
    const { agent, ids } = model();
    const ended = await resumed(agent, memoryEffects(), await runUntilCrash(agent, memoryEffects(), delta));
    expect(ids).toEqual([ids[0], ids[0]]);
    const { totalTokens } = AgentState.usage(ended);
    const without = await createAgentLoop(agent).execute(await runUntilCrash(agent, memoryEffects(), delta));
    expect([totalTokens > 15, totalTokens]).toEqual([true, AgentState.usage(without).totalTokens]);
  });

  it('the error of a client is recorded and ends the resumed run in the same way', async () => {
    const effects = memoryEffects();
    const { agent, ids } = model(9);
    const ended = await resumed(agent, effects, await runUntilCrash(agent, effects, delta));
    expect(ids).toHaveLength(1);
    expect(AgentState.errors(ended)).toMatchObject([
      { code: 'upstream-error', message: 'busy', name: 'AgentError' },
    ]);
  });

  it('a resumed run goes on with the attempt that was interrupted', async () => {
    const effects = memoryEffects();
    let calls = 0;
    const inference: InferenceClient = {
      async *stream() {
        calls++;
        if (calls === 1) throw new AgentError('upstream-error', 'busy', { data: { retryable: true } });
        yield { type: 'text-delta', delta: 'Hello' };
        yield { type: 'finish', finishReason: 'stop', usage };
      },
    };
    const agent = defineAgent({ name: 'a', inference, retry: { baseDelayMs: 0 } });
    const attempts: number[] = [];
    const state = await runUntilCrash(agent, effects, delta);
    expect(AgentState.currentStep(state)?.sent?.attempt).toBe(2);
    const onEvent = (event: AgentEvent): void =>
      void (event.type === 'inference-start' && attempts.push(event.attempt));
    const ended = await createAgentLoop(agent, { effects, onEvent }).execute(state);
    expect([attempts, calls, AgentState.finalResponse(ended)]).toEqual([[2], 2, 'Hello']);
  });

  it('model calls of a hook are recorded for each point and tool call', async () => {
    const effects = memoryEffects();
    const asks: string[] = [];
    const heard: unknown[] = [];
    const judge = defineHook({
      name: 'judge',
      on: ['before-step', 'after-tool-use'],
      async run(_state, ctx) {
        const about = `${ctx.point} ${ctx.stepNumber}`;
        const usageOf = (): object => ({ inputTokens: 1, outputTokens: 1 });
        heard.push(await ctx.callModel({ input: about, call: () => (asks.push(about), { about }), usageOf }));
      },
    });
    const { agent } = paying(() => 'paid', { hooks: [judge] });
    const state = await runUntilCrash(agent, effects, ({ type }) => type === 'step-start');
    const live = heard.splice(0);
    const ended = await resumed(agent, effects, state);
    expect(heard).toEqual(live);
    expect(asks).toHaveLength(3);
    expect(AgentState.usage(ended).totalTokens).toBe(0);
  });
});
