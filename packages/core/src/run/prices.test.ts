import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentInit } from '../agent/agent-definition.ts';
import { defineAgent } from '../agent/define-agent.ts';
import { systemEnv } from '../graph/env.ts';
import type { ModelPrice } from '../graph/llm-config.ts';
import type { AgentState as State } from '../graph/types.ts';
import { journalDocument } from '@vitrine/inspect/internal/replay/journal-document';
import { replay } from '@vitrine/inspect/internal/replay/replay';
import type { InferenceClient } from '../model/inference-client.ts';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv } from '@vitrine/testing/internal/fixtures';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing/internal/scripted-inference';
import * as AgentState from './agent-state.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentChange } from './events.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);
const tools = [fakeTool('look', 'nothing')];
const look = [{ name: 'look', input: {} }];
const price: ModelPrice = { input: 2, output: 10 };
const llmConfig = { model: 'm', settings: { maxOutputTokens: 100 } };

type Told = (model: string | null) => Promise<ModelPrice | null>;

/** A scripted client that knows prices, with the number of its calls. */
function client(
  script: readonly ScriptedEntry[],
  told: Told,
): InferenceClient & { calls: number; asked: number } {
  const scripted = scriptedInference(script);
  const counted = {
    calls: 0,
    asked: 0,
    stream(...call: Parameters<InferenceClient['stream']>) {
      counted.calls++;
      return scripted.stream(...call);
    },
    price(model: string | null) {
      counted.asked++;
      return told(model);
    },
  };
  return counted;
}

const known: Told = async (model) => (model === 'm' ? price : null);

async function ran(
  init: Partial<AgentInit>,
  question = 'Hello',
): Promise<{ state: State; base: State; events: AgentChange[] }> {
  const env = fixedEnv();
  const base = ask(question, env);
  const events: AgentChange[] = [];
  const onEvent = (event: { readonly seq: number | null }): void =>
    void (event.seq !== null && events.push(event as AgentChange));
  const state = await createAgentLoop(defineAgent({ tools, llmConfig, ...init } as AgentInit), {
    env,
    onEvent,
  }).execute(base);
  return { state, base, events };
}

describe('a budget of money whose price only the client knows', () => {
  it('a first call whose least cost exceeds the budget is refused before it is sent', async () => {
    const inference = client([{ text: 'Hi' }], known);
    const { state } = await ran({ inference, budget: { maxCost: 0.001 } }, 'x'.repeat(20_000));
    expect(AgentState.stopReason(state)).toBe('cost-limit-reached');
    expect(AgentState.stopSignal(state)?.context).toMatchObject({ refused: true });
    expect(inference.calls).toBe(0);
  });

  it('a failed first call costs the price of the client and not an unknown amount', async () => {
    const error = { message: 'gone', code: 'stream-incomplete', retryable: true };
    const inference = client([{ error }, { text: 'Hi' }], known);
    const retry = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1 };
    const { state } = await ran({ inference, retry, budget: { maxCost: 1 } });
    expect(AgentState.status(state)).toBe('completed');
    expect(inference.calls).toBe(2);
    expect(AgentState.usage(state).cost).toBeGreaterThan(0);
  });

  it('the client is asked once a run, and not without a limit of money or with a price of the application', async () => {
    const script = [
      { toolCalls: look, usage: { inputTokens: 9 } },
      { text: 'Hi', usage: { inputTokens: 9 } },
    ];
    const times = async (init: Partial<AgentInit>): Promise<number> => {
      const inference = client(script, known);
      await ran({ inference, ...init });
      expect(inference.calls).toBe(2);
      return inference.asked;
    };
    expect(await times({ budget: { maxCost: 1 } })).toBe(1);
    expect(await times({ sessionBudget: { cost: 1 } })).toBe(1);
    expect(await times({ budget: { maxTokens: 5000 } })).toBe(0);
    expect(await times({ budget: { maxCost: 1 }, llmConfig: { ...llmConfig, prices: { m: price } } })).toBe(
      0,
    );
  });

  it.each<[string, Told]>([
    ['does not list the model', async () => null],
    ['cannot be asked', () => Promise.reject(new Error('gone'))],
    ['tells a negative price', async () => ({ input: -1, output: 2 })],
    ['tells a price that is no number', async () => ({ input: Number.NaN, output: 2 })],
    [
      'tells a negative price of long requests',
      async () => ({ input: 1, output: 2, above: { tokens: 9, input: -2, output: 4 } }),
    ],
    ['never answers', () => new Promise(() => undefined)],
  ])('a client that %s leaves the price unknown, and the run says so', async (_what, told) => {
    // Only the wait for a price takes 5 s.
    const schedule = (ms: number, f: () => void): (() => void) => systemEnv.schedule(ms === 5000 ? 1 : ms, f);
    const env = { ...fixedEnv(), schedule };
    const inference = client([{ toolCalls: look }, { text: 'Hi' }], told);
    const agent = defineAgent({ inference, tools, llmConfig, budget: { maxCost: 1 } });
    const events: AgentChange[] = [];
    const loop = createAgentLoop(agent, { env, onEvent: (event) => void events.push(event as AgentChange) });
    const state = await loop.execute(ask());
    expect(events.filter(({ type }) => type === 'price-record')).toMatchObject([{ model: 'm', price: null }]);
    expect(AgentState.stepCount(state)).toBe(1);
    expect(AgentState.stopSignal(state)).toMatchObject({
      reason: 'cost-limit-reached',
      message: expect.stringContaining('the price of the model is not known') as string,
    });
  });

  it('an abort ends the question, and nothing is recorded of it', async () => {
    const controller = new AbortController();
    const inference = client([{ text: 'Hi' }], () => {
      controller.abort();
      return new Promise(() => undefined);
    });
    const types: string[] = [];
    const agent = defineAgent({ inference, llmConfig, budget: { maxCost: 1 } });
    const loop = createAgentLoop(agent, { onEvent: ({ type }) => void types.push(type) });
    const state = await loop.execute(ask(), { signal: controller.signal });
    expect(AgentState.stopReason(state)).toBe('user-requested');
    expect(types).not.toContain('price-record');
    expect(inference.calls).toBe(0);
  });

  it('a cost that the client reports with its answer stays', async () => {
    const inference = client([{ text: 'Hi', usage: { inputTokens: 5, cost: 0.25 } }], known);
    const { state } = await ran({ inference, budget: { maxCost: 1 } });
    expect(AgentState.usage(state).cost).toBe(0.25);
  });
});

const amount = fc.integer({ min: 0, max: 2000 }).map((cents) => cents / 100);
const entry: fc.Arbitrary<ScriptedEntry> = fc.oneof(
  fc.record({
    toolCalls: fc.constant(look),
    usage: fc.record({ inputTokens: fc.nat(5000), outputTokens: fc.nat(100) }),
  }),
  fc.record({ text: fc.string(), usage: fc.constant(null) }),
  fc.constant({ error: { message: 'gone', code: 'stream-incomplete', retryable: true } }),
);
const plans = fc.record({
  script: fc.array(entry, { minLength: 1, maxLength: 6 }),
  price: fc.record(
    {
      input: amount,
      output: amount,
      cacheWriteHour: amount,
      above: fc.record({ tokens: fc.nat(5000), input: amount, output: amount }),
    },
    { requiredKeys: ['input', 'output'] },
  ),
  maxCost: fc.integer({ min: 1, max: 50_000 }).map((millionths) => millionths / 1e6),
  question: fc.integer({ min: 1, max: 30_000 }),
  isOfSession: fc.boolean(),
});

/** A request of just the size from which tokens are measured, whose model guarantees that it took none. */
const unmeasured = {
  script: [
    { toolCalls: look, usage: { inputTokens: 0, outputTokens: 0 } },
    { text: '', usage: null },
  ],
  price: { input: 0, output: 0, above: { tokens: 0, input: 0.15, output: 0 } },
  maxCost: 0.000057,
  question: 3994,
  isOfSession: false,
};

describe('the law of told prices', () => {
  it('a run with the price of its client equals one with the price of the application, and its replay asks nobody', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async ({ script, price: told, maxCost, question, isOfSession }) => {
        const init = {
          retry: { maxAttempts: 3, baseDelayMs: 0, maxDelayMs: 0 },
          ...(isOfSession ? { sessionBudget: { cost: maxCost } } : { budget: { maxCost } }),
        };
        const text = 'x'.repeat(question);
        const inference = client(script, async () => told);
        const live = await ran({ ...init, inference }, text);
        const again = await ran({ ...init, inference: client(script, async () => told) }, text);
        expect(again.events).toEqual(live.events);
        const own = await ran(
          { ...init, inference: scriptedInference(script), llmConfig: { ...llmConfig, prices: { m: told } } },
          text,
        );
        expect(AgentState.usage(live.state)).toEqual(AgentState.usage(own.state));
        expect(AgentState.stopSignal(live.state)?.reason).toBe(AgentState.stopSignal(own.state)?.reason);
        expect(live.events.filter(({ type }) => type !== 'price-record').map(({ type }) => type)).toEqual(
          own.events.map(({ type }) => type),
        );
        const silent = {
          ...init,
          llmConfig,
          tools,
          inference: client([], () => Promise.reject(new Error('asked'))),
        };
        const document = journalDocument('one', live.base, live.events);
        const { state } = await replay(document, defineAgent(silent));
        expect(AgentState.toJSON(state)).toEqual(AgentState.toJSON(live.state));
        expect(silent.inference.asked).toBe(0);
      }),
      { numRuns, examples: [[unmeasured]] },
    );
  });
});
