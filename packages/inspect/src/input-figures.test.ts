import { expect, it } from 'vitest';
import { runAgent } from '@vitrine/core/internal/agent-loop/run-agent';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askPrices, callsOfRun, inputFigures, knownPrices } from './input-figures.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const usage = (inputTokens: number, cacheReadTokens: number, cacheWriteTokens: number) => ({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens: 10,
});
const kidOf = () =>
  scriptedAgent([{ text: 'Found.', usage: usage(1000, 0, 0) }], {
    name: 'kid',
    llmConfig: { model: 'n', settings: {} },
  });
const agentOf = () =>
  scriptedAgent(
    [
      { toolCalls: [{ name: 'ok', input: {} }], usage: usage(1000, 0, 800) },
      {
        toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Look.' } }],
        usage: usage(2000, 800, 0),
      },
      { text: 'Done.', usage: usage(4000, 3200, 0) },
    ],
    {
      tools: [fakeTool('ok', 1)],
      subagents: [kidOf()],
      llmConfig: { model: 'm', settings: {}, prices: { m: price, n: price } },
    },
  );

it('the figures of a run count its subagents, and each call by its own price', async () => {
  const agent = agentOf();
  const { state } = await runAgent(agent, 'Look.');
  const calls = callsOfRun(state);
  expect(calls.map(({ models }) => models[0])).toEqual(['m', 'm', 'n', 'm']);
  const figures = inputFigures(calls, knownPrices(state, agent));
  expect(figures.cached).toBe(4000 / 8000);
  expect(figures.usage).toMatchObject({ inputTokens: 8000, cacheReadTokens: 4000, cacheWriteTokens: 800 });
  // 200 + 800 × 1.25, 1200 + 80, 1000, and 800 + 320.
  expect(figures.paid).toBeCloseTo((1200 + 1280 + 1000 + 1120) / 8000);
});

it('a run with a call of unknown price has no paid share until the client tells one', async () => {
  const agent = agentOf();
  const { state } = await runAgent(agent, 'Look.');
  const calls = callsOfRun(state);
  expect(inputFigures(calls, knownPrices(state)).paid).toBeNull();
  const inference = {
    ...agent.inference,
    price: (model: string | null) => Promise.resolve(model === null ? null : price),
  };
  const asking = { inference, llmConfig: null };
  expect(await askPrices(asking, calls)).toBe(true);
  expect(await askPrices(asking, calls)).toBe(false);
  expect(inputFigures(calls, knownPrices(state, asking)).paid).toBeCloseTo(0.575);
});

it('a client that cannot tell a price leaves it unknown', async () => {
  const agent = agentOf();
  const { state } = await runAgent(agent, 'Look.');
  const inference = { ...agent.inference, price: () => Promise.reject(new Error('Offline.')) };
  expect(await askPrices({ inference }, callsOfRun(state))).toBe(false);
  expect(inputFigures([], knownPrices(create(), agent))).toMatchObject({ cached: null, paid: null });
});
