import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.ts';
import type { LlmConfigInit } from '../agent/check-init.ts';
import { defineHook } from '../agent/hook.ts';
import { finishReasonGuard } from '../agent/guards/guard.ts';
import { defineTool } from '../agent/tool.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import * as AgentState from './agent-state.ts';
import { spentOf } from '../graph/limits.ts';
import type { AgentState as State } from '../graph/types.ts';
import type { InferenceClient, InferenceEvent } from '../model/inference-client.ts';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import * as z from 'zod';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from './events.ts';

const outputTokens = 2000;

/**
 * A model whose calls each take a while and use all output tokens that they may use. It counts calls in
 * flight.
 */
function slowModel(answer: (call: number) => ScriptedStep['toolCalls']): InferenceClient & {
  readonly maxInFlight: () => number;
} {
  let [calls, inFlight, maxInFlight] = [0, 0, 0];
  return {
    maxInFlight: () => maxInFlight,
    async *stream(): AsyncGenerator<InferenceEvent> {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 3));
      inFlight -= 1;
      const toolCalls = answer(++calls) ?? [];
      for (const [index, { name, input }] of toolCalls.entries()) {
        yield { type: 'tool-call', toolCallId: `c${calls}-${index}`, toolName: name, input };
      }
      yield {
        type: 'finish',
        finishReason: 'tool-calls',
        usage: {
          inputTokens: 0,
          outputTokens,
          reasoningTokens: 0,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          totalTokens: outputTokens,
          cost: null,
          isExact: true,
        },
      };
    },
  };
}

const noop = defineTool({
  name: 'noop',
  description: 'Does nothing',
  input: z.object({}),
  execute: () => null,
});

/** Agents that each delegate to four others; the lowest ones call a model for ever. */
function family(depth: number, model: InferenceClient): AgentDefinition {
  const settings = { maxOutputTokens: outputTokens };
  const common = { llmConfig: { settings }, toolConcurrency: 4, budget: { maxSteps: null } };
  if (depth === 0)
    return defineAgent({ ...common, name: 'level0', systemPrompt: '', tools: [noop], inference: model });
  const below = family(depth - 1, model);
  const input = { agent: `level${depth - 1}`, task: 'Go on' };
  return scriptedAgent([{ toolCalls: [1, 2, 3, 4].map(() => ({ name: 'delegate', input })) }], {
    ...common,
    name: `level${depth}`,
    subagents: [below],
  });
}

describe('a budget of tokens', () => {
  it.each([
    [1, 4],
    [2, 16],
    [3, 30],
  ])(
    'a token budget is kept by parallel subagents %d deep, %d and more of them side by side',
    async (depth, side) => {
      const model = slowModel(() => [{ name: 'noop', input: {} }]);
      const agent = { ...family(depth, model) };
      const maxTokens = 50 * outputTokens;
      const state = await createAgentLoop({ ...agent, budget: { ...agent.budget, maxTokens } }).execute(
        ask(),
      );
      expect(AgentState.usage(state).totalTokens).toBe(maxTokens);
      expect(AgentState.stopReason(state)).toBe('token-limit-reached');
      expect(model.maxInFlight()).toBeGreaterThanOrEqual(side);
    },
  );

  it('a token budget reports what a running subagent spends, and keeps it when the subagent is stopped', async () => {
    const child = scriptedAgent(
      [
        { toolCalls: [{ name: 'noop', input: {} }], usage: { inputTokens: 100 } },
        { text: 'slow answer', delayMs: 60_000 },
      ],
      { name: 'child', tools: [noop] },
    );
    const parent = scriptedAgent(
      [
        {
          toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'x' } }],
          usage: { inputTokens: 7 },
        },
      ],
      { subagents: [child] },
    );
    const controller = new AbortController();
    const seen: number[] = [];
    const onEvent = (event: AgentEvent, state: State): void => {
      seen.push(AgentState.usage(state).totalTokens);
      const isSecondCall = event.path.length === 1 && event.type === 'inference-start' && seen.includes(107);
      if (isSecondCall) controller.abort('enough');
    };
    const state = await createAgentLoop(parent, { onEvent }).execute(ask(), { signal: controller.signal });
    expect([...new Set(seen)]).toEqual([0, 7, 107]);
    expect(AgentState.usage(state).totalTokens).toBe(107);
    expect(AgentState.usage(AgentState.fromJSON(AgentState.toJSON(state))).totalTokens).toBe(107);
  });

  it('a call that waits for room held by others is announced by an event', async () => {
    const model = slowModel(() => [{ name: 'noop', input: {} }]);
    const agent = family(1, model);
    const events: AgentEvent[] = [];
    await createAgentLoop(
      { ...agent, budget: { ...agent.budget, maxTokens: 4 * outputTokens } },
      { onEvent: (event) => events.push(event) },
    ).execute(ask());
    const waits = events.filter((event) => event.type === 'budget-wait');
    expect(waits.length).toBeGreaterThan(0);
    for (const { held, path } of waits) {
      expect(held.tokens).toBeGreaterThan(0);
      expect(path).toHaveLength(1);
    }
  });

  it('a subagent that a limit above ends leaves no empty step behind', async () => {
    const model = slowModel(() => [{ name: 'noop', input: {} }]);
    const agent = family(1, model);
    const state = await createAgentLoop({
      ...agent,
      budget: { ...agent.budget, maxTokens: 8 * outputTokens },
    }).execute(ask());
    const children = AgentState.steps(state).flatMap(({ toolExecutions }) =>
      toolExecutions.flatMap(({ childState }) => childState ?? []),
    );
    expect(children).toHaveLength(4);
    for (const child of children) {
      expect(AgentState.stopReason(child)).toBe('token-limit-reached');
      expect(AgentState.steps(child).every((step) => step.inferenceResponse !== null)).toBe(true);
    }
  });

  it('the budget of a parent is checked before a step of its subagent, so that no hook prepares a call in vain', async () => {
    let prepared = 0;
    const count = defineHook({ name: 'count', on: 'before-inference', run: () => void prepared++ });
    const child = scriptedAgent([{ toolCalls: [{ name: 'noop', input: {} }], usage: { inputTokens: 100 } }], {
      name: 'child',
      tools: [noop],
      hooks: [count],
    });
    const parent = scriptedAgent(
      [{ toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'x' } }] }],
      {
        subagents: [child],
        budget: { maxTokens: 200 },
      },
    );
    const state = await createAgentLoop(parent).execute(ask());
    expect(AgentState.usage(state).totalTokens).toBe(200);
    expect(prepared).toBe(2);
  });

  it('a resumed run knows the size of earlier answers', async () => {
    const confirm = defineTool({
      name: 'confirm',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => null,
    });
    const handOver = { name: 'delegate', input: { agent: 'child', task: 'x' } };
    const childWith = (inference: InferenceClient): AgentDefinition =>
      defineAgent({
        name: 'child',
        systemPrompt: '',
        tools: [confirm],
        inference,
        budget: { maxSteps: 2 },
      });
    const parentOf = (inference: InferenceClient): AgentDefinition =>
      scriptedAgent([{ toolCalls: [handOver, handOver, handOver] }], {
        subagents: [childWith(inference)],
        budget: { maxSteps: 1, maxTokens: 100 * outputTokens },
      });
    const confirms = (): ScriptedStep['toolCalls'] => [{ name: 'confirm', input: {} }];
    const paused = await createAgentLoop(parentOf(slowModel(confirms))).execute(ask());
    const waiting = AgentState.pendingApprovals(paused).map(({ id }) => id);
    expect(waiting).toHaveLength(3);
    const approved = waiting.reduce((state, id) => AgentState.withApproval(state, id), paused);
    const model = slowModel(confirms);
    await createAgentLoop(parentOf(model)).execute(approved);
    expect(model.maxInFlight()).toBe(3);
  });
});

describe('a budget of money', () => {
  const prices = { m: { input: 1, output: 1 } };
  const script = [{ toolCalls: [{ name: 'noop', input: {} }], usage: { inputTokens: 10 } }];

  it('a money budget ends the run after the first call with an unknown price, and says what to do', async () => {
    const agent = scriptedAgent(script, { tools: [noop], budget: { maxCost: 1 } });
    const state = await createAgentLoop(agent).execute(ask());
    expect([AgentState.stepCount(state), AgentState.stopReason(state)]).toEqual([1, 'cost-limit-reached']);
    expect(AgentState.stopSignal(state)?.message).toContain('llmConfig.prices');
  });

  it.each<[string, LlmConfigInit | undefined, string | null]>([
    ['no configuration', undefined, 'm'],
    ['a model of its own', { model: 'small' }, 'small'],
    ['prices of its own', { model: 'm', prices: { m: { input: 5, output: 5 } } }, 'm'],
  ])(
    'a subagent with %s has the prices that a money budget of its parent needs',
    async (_, llmConfig, model) => {
      const table = { ...prices, small: { input: 2, output: 2 } };
      const asks: (string | null)[] = [];
      const inference = scriptedInference([
        (request) => {
          asks.push(request.model);
          return { text: 'found', usage: { inputTokens: 10 } };
        },
      ]);
      const kid = defineAgent({ name: 'kid', inference, ...(llmConfig && { llmConfig }) });
      const parent = scriptedAgent(
        [
          {
            toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'x' } }],
            usage: { inputTokens: 10 },
          },
          { text: 'done', usage: { inputTokens: 10 } },
        ],
        { subagents: [kid], budget: { maxCost: 1 }, llmConfig: { model: 'm', prices: table } },
      );
      const state = await createAgentLoop(parent).execute(ask());
      expect([AgentState.stopReason(state), asks]).toEqual(['completed', [model]]);
      const own = { undefined: 1, small: 2, m: 5 }[String(llmConfig?.model)] ?? 0;
      expect(AgentState.usage(state).cost).toBeCloseTo((20 + 10 * own) / 1e6, 12);
    },
  );

  it('a money budget of 0.8 is reached by 0.7 and 0.1', async () => {
    const costs = [0.7, 0.1].map((cost) => ({ ...script[0]!, usage: { inputTokens: 1, cost } }));
    const agent = scriptedAgent(costs, { tools: [noop], budget: { maxCost: 0.8 } });
    const state = await createAgentLoop(agent).execute(ask());
    expect([AgentState.stepCount(state), AgentState.stopReason(state)]).toEqual([2, 'cost-limit-reached']);
  });

  it('a money budget uses the table of prices when the provider reports a longer model name', async () => {
    const renamed = scriptedAgent(script, {
      tools: [noop],
      budget: { maxCost: 0.00003 },
      llmConfig: { model: 'm', prices },
    });
    const { inference } = renamed;
    const state = await createAgentLoop({
      ...renamed,
      inference: {
        async *stream(request, options) {
          for await (const event of inference.stream(request, options)) {
            yield event.type === 'start' ? { ...event, model: 'm-2026-01-01' } : event;
          }
        },
      },
    }).execute(ask());
    expect([AgentState.stepCount(state), AgentState.usage(state).cost]).toEqual([3, 0.00003]);
  });
});

describe('a budget of time', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    input: z.object({}),
    needsApproval: true,
    execute: () => 'paid',
  });
  const script = [{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'Done' }];
  const approved = (state: State, env: ReturnType<typeof fixedEnv>): State =>
    AgentState.withApproval(state, AgentState.pendingApprovals(state)[0]!.id, {}, env);

  it('a time budget does not count waiting for a person, in the loop or in a view', async () => {
    const env = fixedEnv();
    const agent = scriptedAgent(script, { tools: [pay], budget: { maxSeconds: 10 } });
    const loop = createAgentLoop(agent, { env });
    const paused = await loop.execute(ask('Pay', env));
    env.advance(3_600_000);
    expect(spentOf(paused, env.now()).seconds).toBe(0);
    const state = await loop.execute(approved(paused, env));
    expect(AgentState.status(state)).toBe('completed');
    expect(spentOf(state, env.now()).seconds).toBe(0);
  });

  it('a time budget counts the work before and after a wait', async () => {
    const env = fixedEnv();
    const work = defineHook({
      name: 'work',
      on: 'before-inference',
      run: (state) => (env.advance(6000), state),
    });
    const agent = scriptedAgent(script, { tools: [pay], budget: { maxSeconds: 10 }, hooks: [work] });
    const loop = createAgentLoop(agent, { env });
    const paused = await loop.execute(ask('Pay', env));
    env.advance(3_600_000);
    const once = await loop.execute(approved(paused, env));
    expect(spentOf(once, env.now()).seconds).toBe(12);
    expect(AgentState.status(once)).toBe('completed');
  });

  it('time that the machine slept during a step does not count as work', async () => {
    const env = fixedEnv();
    let slept = 0;
    const sleepy = { ...env, now: () => env.now() + slept };
    const nap = defineTool({
      name: 'nap',
      description: '',
      input: z.object({}),
      execute: () => {
        env.advance(2000);
        slept = 8 * 3_600_000;
      },
    });
    const napping = [{ toolCalls: [{ name: 'nap', input: {} }] }, { text: 'Done' }];
    const agent = scriptedAgent(napping, { tools: [nap], budget: { maxSeconds: 10 } });
    const state = await createAgentLoop(agent, { env: sleepy }).execute(ask('Sleep', sleepy));
    expect([AgentState.status(state), AgentState.stepCount(state)]).toEqual(['completed', 2]);
    expect(spentOf(state, sleepy.now()).seconds).toBe(2);
    expect(AgentState.stepExecutions(state)[0]?.durationMs).toBe(2000);
  });

  it('time that the machine slept before a step waited for a person does not count as work', async () => {
    const env = fixedEnv();
    let slept = 0;
    const sleepy = { ...env, now: () => env.now() + slept };
    const nap = defineHook({
      name: 'nap',
      on: 'before-inference',
      run: () => void (env.advance(1000), (slept += 3_600_000)),
    });
    const agent = scriptedAgent(script, { tools: [pay], budget: { maxSeconds: 10 }, hooks: [nap] });
    const loop = createAgentLoop(agent, { env: sleepy });
    const paused = await loop.execute(ask('Pay', sleepy));
    expect(spentOf(paused, sleepy.now()).seconds).toBe(1);
  });

  it('time in which the page was closed does not count as work when the run is taken up', async () => {
    const env = fixedEnv();
    const agent = scriptedAgent([{ text: 'Done' }], { budget: { maxSeconds: 10 } });
    const loop = createAgentLoop(agent, { env });
    const states: State[] = [];
    for await (const { state } of loop.stream(ask('Hi', env))) states.push(state);
    const closed = states.find((state) => AgentState.currentStep(state)?.sent != null) as State;
    env.advance(3_600_000);
    const state = await loop.execute(closed);
    expect(AgentState.stopReason(state)).toBe('completed');
    expect(spentOf(state, env.now()).seconds).toBe(0);
  });

  it('the duration of a step is the work before and after each wait, without the waits', async () => {
    const env = fixedEnv();
    const work = defineHook({ name: 'work', on: 'before-inference', run: () => env.advance(6000) });
    const slow = { ...pay, execute: () => (env.advance(500), 'paid') };
    const twice = [{ toolCalls: [0, 1].map(() => ({ name: 'pay', input: {} })) }, { text: 'Done' }];
    const agent = scriptedAgent(twice, { tools: [slow], hooks: [work] });
    const loop = createAgentLoop(agent, { env });
    let state = await loop.execute(ask('Pay', env));
    for (let answers = 0; answers < 2; answers++) {
      env.advance(3_600_000);
      state = await loop.execute(approved(state, env));
    }
    // Resuming a step prepares the request anew, without running its hooks again.
    expect(AgentState.stepExecutions(state).map(({ durationMs }) => durationMs)).toEqual([7000, 6000]);
    expect(spentOf(state, env.now()).seconds).toBe(13);
  });

  it('a resumed run has the remaining time of its budget, and leaves no timer behind', async () => {
    const env = fixedEnv();
    const asks: number[] = [];
    const open = new Set<object>();
    const schedule = (ms: number, f: () => void): (() => void) => {
      const timer = { cancel: env.schedule(ms, f) };
      asks.push(ms);
      open.add(timer);
      return () => {
        open.delete(timer);
        timer.cancel();
      };
    };
    const work = defineHook({ name: 'work', on: 'before-inference', run: () => env.advance(6000) });
    const agent = scriptedAgent(script, {
      tools: [pay],
      budget: { maxSeconds: 10 },
      hooks: [work],
      hookTimeoutMs: Infinity,
    });
    const loop = createAgentLoop(agent, { env: { ...env, schedule } });
    const paused = await loop.execute(ask('Pay', env));
    await loop.execute(approved(paused, env));
    expect(asks).toEqual([10_000, 4000]);
    expect(open.size).toBe(0);
  });

  it('a time budget that ends a step before the model call records that step', async () => {
    const hook = defineHook({
      name: 'slow',
      on: 'before-inference',
      run: () => new Promise((resolve) => setTimeout(resolve, 60_000)),
    });
    const agent = scriptedAgent(script, { tools: [pay], budget: { maxSeconds: 0.02 }, hooks: [hook] });
    const state = await createAgentLoop(agent).execute(ask());
    expect([AgentState.stopReason(state), AgentState.stepCount(state)]).toEqual(['time-limit-reached', 1]);
  });

  it('a run whose time ran out while it waited runs no more tools', async () => {
    const env = fixedEnv();
    const agent = scriptedAgent(script, { tools: [pay], budget: { deadline: env.now() + 1000 } });
    const loop = createAgentLoop(agent, { env });
    const paused = await loop.execute(ask('Pay', env));
    env.advance(5000);
    const state = await loop.execute(approved(paused, env));
    expect(AgentState.stopReason(state)).toBe('time-limit-reached');
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.status).not.toBe('completed');
  });
});

describe('a budget of steps', () => {
  it('an answer in the last step completes the run, also when guards object to its end', async () => {
    const child = scriptedAgent([{ text: 'Answer' }], {
      name: 'child',
      budget: { maxSteps: 1 },
      hooks: [finishReasonGuard(['stop'])],
    });
    const alone = await createAgentLoop(child).execute(ask());
    expect([AgentState.status(alone), AgentState.stopReason(alone)]).toEqual([
      'completed',
      'finish-reason-received',
    ]);
    const parent = scriptedAgent(
      [{ toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'x' } }] }, { text: 'ok' }],
      { subagents: [child] },
    );
    const state = await createAgentLoop(parent).execute(ask());
    expect(AgentState.steps(state)[0]?.toolExecutions[0]).toMatchObject({
      status: 'completed',
      result: 'Answer',
    });
  });
});
