import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { runAgent } from '../agent-loop/run-agent.ts';
import { defineAgent } from '../agent/define-agent.ts';
import { type Plugin } from '../agent/plugin/plugin.ts';
import { defineTool } from '../agent/tool.ts';
import { create } from '../graph/agent-state/create.ts';
import { withUserMessage } from '../graph/agent-state/transitions.ts';
import type { AgentState as State } from '../graph/types.ts';
import type { InferenceClient, InferenceEvent } from '../model/inference-client.ts';
import * as AgentState from '../run/agent-state.ts';
import { effectLog } from '../run/effect-log.ts';
import type { AgentEvent } from '../run/events.ts';
import { virtualEnv } from '../run/golden/virtual-env.fixture.ts';
import { definePlugin } from './define-plugin.ts';

type Layers = Pick<Parameters<typeof definePlugin>[0], 'aroundModel' | 'aroundTool'>;

function layerPlugin(id: string, layers: Layers): Plugin {
  return definePlugin({ id, state: z.unknown(), ...layers });
}

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 15,
  cost: 1,
};

/** A model that calls the tool `pay` and then answers; `asked` counts its calls. */
function createModel(): InferenceClient & { readonly asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    async *stream(request): AsyncGenerator<InferenceEvent> {
      asked += 1;
      const isAnswered = request.messages.some(({ role }) => role === 'tool');
      if (isAnswered) yield { type: 'text-delta', delta: 'paid' };
      else yield { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
      yield { type: 'finish', finishReason: isAnswered ? 'stop' : 'tool-calls', usage };
    },
  };
}

type Played = {
  readonly state: State;
  readonly asked: number;
  readonly paid: number;
  readonly events: readonly AgentEvent[];
};

async function play(...plugins: readonly Plugin[]): Promise<Played> {
  let paid = 0;
  const inference = createModel();
  const pay = defineTool({
    name: 'pay',
    description: '',
    input: z.object({}),
    execute: () => ++paid,
  });
  const agent = defineAgent({ inference, plugins, tools: [pay], hookTimeoutMs: 1000 });
  const env = virtualEnv('7000', 1, 1e12);
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(agent, { env, onEvent: (event) => events.push(event) });
  const state = await env.play(loop.execute(withUserMessage(create({}, env), 'Pay', env)));
  return { state, asked: inference.asked(), paid, events };
}

describe('layers of plugins', () => {
  it('layers see calls of the model and of tools, those of earlier plugins outside', async () => {
    const seen: string[] = [];
    const tracer = (id: string): Plugin =>
      layerPlugin(id, {
        async *aroundModel({ stepNumber }, next) {
          seen.push(`${id} asks in step ${stepNumber}`);
          yield* next();
          seen.push(`${id} has the answer`);
        },
        async aroundTool({ toolCall }, next) {
          seen.push(`${id} calls ${toolCall.name}`);
          return next();
        },
      });
    const { state, asked, paid } = await play(tracer('outer'), tracer('inner'));
    expect(AgentState.status(state)).toBe('completed');
    expect([asked, paid]).toEqual([2, 1]);
    expect(seen.slice(0, 6)).toEqual([
      'outer asks in step 1',
      'inner asks in step 1',
      'inner has the answer',
      'outer has the answer',
      'outer calls pay',
      'inner calls pay',
    ]);
  });

  it('an answer that a layer gives itself asks no model and costs nothing', async () => {
    const cache = layerPlugin('cache', {
      async *aroundModel() {
        yield { type: 'text-delta', delta: 'known' };
        yield { type: 'finish', finishReason: 'stop', usage };
      },
    });
    const { state, asked } = await play(cache);
    expect(AgentState.finalResponse(state)).toBe('known');
    expect(asked).toBe(0);
    expect(AgentState.usage(state)).toMatchObject({ totalTokens: 0 });
  });

  it('a layer replaces the result of a tool, which keeps its writes', async () => {
    const masking = layerPlugin('masking', { aroundTool: async (_call, next) => ({ masked: await next() }) });
    const { state, paid } = await play(masking);
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.result).toEqual({ masked: 1 });
    expect(paid).toBe(1);
  });

  it('a recorded answer and a recorded result pass no layer', async () => {
    const known = new Map<string, string>();
    const seen: string[] = [];
    const plugin = layerPlugin('tracer', {
      async *aroundModel(_call, next) {
        seen.push('model');
        yield* next();
      },
      aroundTool: (_call, next) => (seen.push('tool'), next()),
    });
    const effects = effectLog({
      read: async (_execution, key) => known.get(key) || null,
      begin: async (_execution, key) => !known.has(key) && known.set(key, '') === known,
      end: async (_execution, key, outcome) => void known.set(key, outcome),
      forget: async () => undefined,
    });
    const inference = createModel();
    const pay = defineTool({ name: 'pay', description: '', input: z.object({}), execute: () => 1 });
    const agent = defineAgent({ inference, plugins: [plugin], tools: [pay] });
    const before = withUserMessage(create({}), 'Pay');
    // Equal ids name the same calls.
    const playAgain = (): Promise<State> => {
      const env = virtualEnv('7001', 1, 1e12);
      return env.play(createAgentLoop(agent, { effects, env }).execute(before));
    };
    await playAgain();
    expect(seen).toEqual(['model', 'tool', 'model']);
    expect(AgentState.status(await playAgain())).toBe('completed');
    expect(seen).toEqual(['model', 'tool', 'model']);
    expect(inference.asked()).toBe(2);
  });

  it('a stop ends a layer that hangs without a time limit', async () => {
    const stuck = layerPlugin('stuck', { aroundTool: () => new Promise(() => undefined) });
    const inference = createModel();
    const pay = defineTool({ name: 'pay', description: '', input: z.object({}), execute: () => 1 });
    const agent = defineAgent({ inference, plugins: [stuck], tools: [pay], hookTimeoutMs: Infinity });
    const controller = new AbortController();
    const { status } = await runAgent(agent, 'Pay', {
      signal: controller.signal,
      onEvent: ({ type }) => {
        if (type === 'tool-start') setTimeout(() => controller.abort('enough'));
      },
    });
    expect(status).toBe('stopped');
  });
});

/** The things that a layer may do. */
const acts = [
  'pass',
  'throw',
  'throw-behind',
  'hang',
  'hang-behind',
  'twice',
  'never',
  'wrong',
  'early',
] as const;
type Act = (typeof acts)[number];
const harmless: readonly Act[] = ['pass', 'early'];
const hang = (): Promise<never> => new Promise(() => undefined);

function modelLayer(act: Act): NonNullable<Layers['aroundModel']> {
  if (act === 'wrong') return (() => 'no events') as never;
  return async function* (_call, next) {
    if (act === 'throw') throw new Error('broken');
    if (act === 'hang') await hang();
    if (act === 'never') return;
    if (act === 'early') {
      for await (const event of next()) {
        yield event;
        if (event.type === 'finish') return;
      }
      return;
    }
    yield* next();
    if (act === 'twice') yield* next();
    if (act === 'throw-behind') throw new Error('broken');
    if (act === 'hang-behind') await hang();
  };
}

function toolLayer(act: Act): NonNullable<Layers['aroundTool']> {
  return async (_call, next) => {
    if (act === 'throw') throw new Error('broken');
    if (act === 'hang') await hang();
    if (act === 'never') return 'own';
    if (act === 'wrong') return () => 'no JSON';
    if (act === 'early') {
      void next().catch(() => undefined);
      return 'own';
    }
    const result = await next();
    if (act === 'twice') await next().catch(() => undefined);
    if (act === 'throw-behind') throw new Error('broken');
    if (act === 'hang-behind') await hang();
    return result;
  };
}

describe('broken layers', () => {
  const act = fc.constantFrom(...acts);
  const plans = fc.array(fc.record({ model: act, tool: act }), { minLength: 1, maxLength: 3 });

  it('a broken layer loses no call and charges none that was not made, and its plugin is named', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const plugins = plan.map(({ model, tool }, at) =>
          layerPlugin(`plugin-${at}`, { aroundModel: modelLayer(model), aroundTool: toolLayer(tool) }),
        );
        const { state, asked, paid, events } = await play(...plugins);
        const status = AgentState.status(state);
        const charges = events.filter((event) =>
          event.type === 'inference-end'
            ? event.response.usage.totalTokens > 0
            : event.type === 'usage-charge' && event.usage.totalTokens > 0,
        );
        const calls = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
        // The run ends, each call too, and each call of the model is charged once.
        expect(['completed', 'failed']).toContain(status);
        expect(calls.every(({ settledAt }) => settledAt !== null)).toBe(true);
        expect(paid).toBeLessThanOrEqual(calls.length);
        expect(charges).toHaveLength(asked);
        // A broken layer around the model ends the run with an error that names its plugin.
        const broken = plan.findIndex(({ model }) => !harmless.includes(model));
        const error = AgentState.errors(state)[0];
        if (broken < 0) expect(status).toBe('completed');
        else {
          expect(status).toBe('failed');
          expect(error?.code).toBe('plugin-failed');
          expect(error?.message).toMatch(/^Plugin "plugin-\d": its aroundModel /);
        }
        for (const { status: outcome, error: failed } of calls)
          if (outcome === 'failed') expect(failed?.message).toMatch(/^Plugin "plugin-\d": its aroundTool /);
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
    );
  });
});
