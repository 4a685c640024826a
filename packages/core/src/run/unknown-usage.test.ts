import { describe, expect, it } from 'vitest';
import * as AgentState from './agent-state.ts';
import type { AgentInit } from '../agent/agent-definition.ts';
import type { InferenceClient, InferenceEvent, InferenceRequest } from '../model/inference-client.ts';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';

const tools = [fakeTool('look', 'nothing')];

/** A model that calls a tool for ever and reports the given usage. */
function reporting(usage: unknown): InferenceClient & { readonly calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    async *stream(): AsyncGenerator<InferenceEvent> {
      calls++;
      yield { type: 'tool-call', toolCallId: `c${calls}`, toolName: 'look', input: {} };
      yield { type: 'finish', finishReason: 'tool-calls', usage } as InferenceEvent;
    },
  };
}

const figures: readonly unknown[] = [undefined, null, 0, -7, Number.NaN, Infinity, '40'];
const reports: readonly (readonly [string, unknown])[] = [
  ['no usage', undefined],
  ...figures.flatMap((figure): (readonly [string, unknown])[] => [
    [`input ${String(figure)}`, { inputTokens: figure, outputTokens: 3, totalTokens: 0 }],
    [`output ${String(figure)}`, { inputTokens: 30, outputTokens: figure }],
    [`total ${String(figure)}`, { totalTokens: figure }],
    [`everything ${String(figure)}`, { inputTokens: figure, outputTokens: figure, totalTokens: figure }],
  ]),
];

describe('a budget with a provider whose usage is not credible', () => {
  it.each(reports)('a run that reports %s ends at its limit of tokens', async (_what, usage) => {
    const inference = reporting(usage);
    const agent = scriptedAgent([], { tools, inference, budget: { maxSteps: 40, maxTokens: 500 } });
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.stopReason(state)).toBe('token-limit-reached');
    expect(inference.calls()).toBeLessThan(20);
    for (const { inferenceResponse } of AgentState.steps(state))
      expect(inferenceResponse?.usage.outputTokens).toBeGreaterThan(0);
  });

  it.each(reports)(
    'a run that reports %s ends at its limit of money, and at both limits of its session',
    async (_what, usage) => {
      const llmConfig = { model: 'm', prices: { m: { input: 2, output: 2 } } };
      const limits: readonly (readonly [Partial<AgentInit>, string])[] = [
        [{ budget: { maxSteps: 40, maxCost: 0.001 } }, 'cost-limit-reached'],
        [{ budget: { maxSteps: 40 }, sessionBudget: { cost: 0.001 } }, 'cost-limit-reached'],
        [{ budget: { maxSteps: 40 }, sessionBudget: { tokens: 500 } }, 'token-limit-reached'],
      ];
      for (const [limit, reason] of limits) {
        const inference = reporting(usage);
        const agent = scriptedAgent([], { tools, inference, llmConfig, ...limit });
        const state = await createAgentLoop(agent).execute(ask());
        expect(AgentState.stopReason(state)).toBe(reason);
        expect(inference.calls()).toBeLessThan(20);
      }
    },
  );

  it('a run with estimated usage says so, also after it was saved', async () => {
    const agent = scriptedAgent([{ text: 'Hi', usage: null }]);
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.usage(state).isEstimated).toBe(true);
    const read = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
    expect(read).toEqual(state);
  });

  it('the cost that an upstream reports never overrides the price of the application', async () => {
    const script = [{ toolCalls: [{ name: 'look', input: {} }], usage: { inputTokens: 1000, cost: 0 } }];
    const init: Partial<AgentInit> = {
      tools,
      budget: { maxCost: 0.004 },
      llmConfig: { model: 'm', prices: { m: { input: 1, output: 1 } } },
    };
    await expectRun(script, init).toEnd('stopped', 'cost-limit-reached', { steps: 4 });
    const unpriced = await createAgentLoop(
      scriptedAgent([{ text: 'x', usage: { inputTokens: 5, cost: 0.25 } }]),
    ).execute(ask());
    expect(AgentState.usage(unpriced).cost).toBe(0.25);
  });
});

const long = 'A long question. '.repeat(60);

describe('a model call without an answer', () => {
  const begun = { type: 'text-delta', delta: 'x'.repeat(300) } as const;
  /** Lower bound of the request's tokens, plus the 100 tokens of output. */
  const atLeast = Math.ceil(long.length / 3) + 100;

  const model = (end: (signal: AbortSignal) => Promise<InferenceEvent | null>): InferenceClient => ({
    async *stream(_request: InferenceRequest, { signal }): AsyncGenerator<InferenceEvent> {
      yield begun;
      const last = await end(signal);
      if (last !== null) yield last;
    },
  });
  const error = {
    type: 'error',
    code: 'upstream-error',
    message: 'x',
    retryable: false,
    retryAfterMs: null,
  } as const;

  it.each<[string, InferenceClient]>([
    ['ends without a finish', model(async () => null)],
    ['ends with an error', model(async () => error)],
    ['throws', model(() => Promise.reject(new Error('gone')))],
  ])('a call that %s is charged for its request and its output so far', async (_how, inference) => {
    const state = await createAgentLoop(scriptedAgent([], { inference })).execute(ask(long));
    expect(AgentState.status(state)).toBe('failed');
    const { totalTokens, isEstimated } = AgentState.usage(state);
    expect(totalTokens).toBeGreaterThanOrEqual(atLeast);
    expect(isEstimated).toBe(true);
    expect(AgentState.fromJSON(AgentState.toJSON(state))).toEqual(state);
  });

  it('a call aborted in the arguments of a tool is charged for them', async () => {
    const controller = new AbortController();
    const inference: InferenceClient = {
      async *stream(): AsyncGenerator<InferenceEvent> {
        yield { type: 'tool-call-start', toolCallId: 'c', toolName: 'look' };
        yield { type: 'tool-call-delta', toolCallId: 'c', delta: '"'.repeat(3000) };
        controller.abort('enough');
        await new Promise(() => undefined);
      },
    };
    const agent = scriptedAgent([], { inference, tools });
    const state = await createAgentLoop(agent).execute(ask(), { signal: controller.signal });
    expect(AgentState.stopReason(state)).toBe('user-requested');
    expect(AgentState.usage(state).outputTokens).toBe(1000);
  });

  it('every attempt is charged, except a call that was refused before it began', async () => {
    const retry = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1 };
    const busy = (code: string): InferenceClient => ({
      async *stream(): AsyncGenerator<InferenceEvent> {
        yield { ...error, code, retryable: true };
      },
    });
    const usageOf = async (inference: InferenceClient): Promise<number> => {
      const state = await createAgentLoop(scriptedAgent([], { inference, retry })).execute(ask(long));
      return AgentState.usage(state).inputTokens;
    };
    const once = await usageOf(model(async () => error));
    expect(await usageOf(busy('upstream-timeout'))).toBe(3 * once);
    expect(await usageOf(busy('upstream-rate-limited'))).toBe(0);
  });

  it('a limit counts the spending of interrupted calls', async () => {
    const script = [{ error: { message: 'busy', retryable: true } }, { text: 'ok' }];
    const retry = { maxAttempts: 9, baseDelayMs: 1, maxDelayMs: 1 };
    const agent = scriptedAgent(script.slice(0, 1), { retry, budget: { maxTokens: 1000 } });
    const events: string[] = [];
    const loop = createAgentLoop(agent, { onEvent: ({ type }) => events.push(type) });
    const state = await loop.execute(ask(long));
    expect(AgentState.stopReason(state)).toBe('token-limit-reached');
    expect(events.filter((type) => type === 'inference-start').length).toBeLessThan(5);
  });
});
