import { AgentState, createAgentLoop, defineAgent, type ModelPrice, proxyInference } from '@vitrine/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';
import { startUpstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { lines } from './listed-prices.ts';
import { listedPrice, modelPrices } from './model-prices.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { providers } from './providers.ts';

const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k' };

describe('the table of prices', () => {
  it('the table names its day and sources, and its prices are plausible dollars', () => {
    expect(modelPrices.day).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(Object.keys(modelPrices.prices)).toHaveLength(lines.trim().split('\n').length);
    expect(modelPrices.sources.every((source) => /^https:\/\/\S+/.test(source))).toBe(true);
    for (const [id, price] of Object.entries(modelPrices.prices)) {
      expect(id).toMatch(/^(openai|anthropic|google):[\w.-]+$/);
      const { input, output, cacheRead = input, cacheWrite = input } = price;
      expect(input, id).toBeGreaterThan(0);
      expect(output, id).toBeGreaterThan(input);
      expect(output, id).toBeLessThan(1000);
      expect(cacheRead, id).toBeLessThanOrEqual(input);
      expect(cacheWrite, id).toBeGreaterThanOrEqual(input);
    }
  });

  it('every model that is served by default has a price, except those of a server of your own', () => {
    const unpriced = modelsFromEnv(keys).filter(({ price }) => price === undefined);
    expect(unpriced).toEqual([]);
    const ids = providers.filter(({ listsModels }) => listsModels !== true).map(({ id }) => id);
    expect(new Set(Object.keys(modelPrices.prices).map((id) => id.split(':')[0]))).toEqual(new Set(ids));
  });

  it('a name with the day of a version has the price of its model', () => {
    expect(listedPrice('anthropic:claude-sonnet-4-5-20250929')).toEqual(
      listedPrice('anthropic:claude-sonnet-4-5'),
    );
    expect(listedPrice('openai:gpt-5-2025-08-07')).toMatchObject({ input: 1.25, output: 10 });
    for (const id of ['openai:gpt-5-turbo', 'openai:gpt-5-2025', 'ollama:gpt-5', 'constructor'])
      expect(listedPrice(id), id).toBeUndefined();
  });

  it('prices of the operator take precedence, and another address has no listed price', () => {
    const priceIn = (env: Record<string, string>): ModelPrice | undefined =>
      modelsFromEnv({ ...keys, VITRINE_MODELS: 'openai:gpt-5', ...env })[0]?.price;
    expect(priceIn({})).toEqual({ input: 1.25, output: 10, cacheRead: 0.125 });
    expect(priceIn({ VITRINE_PRICES: 'openai:gpt-5=7/8' })).toEqual({ input: 7, output: 8 });
    expect(priceIn({ OPENAI_BASE_URL: 'https://gateway.example/v1' })).toBeUndefined();
  });
});

/** A proxy with a model at this price, whose every answer takes a million tokens of input. */
async function pricedProxy(price: ModelPrice | undefined): Promise<string> {
  const upstream = await startUpstream();
  onTestFinished(upstream.close);
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 10, total_tokens: 1_000_010 };
  const end = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
  upstream.behave = {
    kind: 'answer',
    body: `${chunk('Hello')}data: ${end}\n\ndata: [DONE]\n\n`,
    size: null,
  };
  const models = modelsFromEnv({
    OPENAI_COMPATIBLE_BASE_URL: upstream.url,
    VITRINE_MODELS: 'openai-compatible:m',
  }).map((model) => ({ ...model, ...(price && { price }) }));
  const server = await serveInferenceProxy(createInferenceProxy({ models, log: () => undefined }), {
    port: 0,
  });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server.url;
}

async function runWith(
  price: ModelPrice | undefined,
  maxCost: number,
  { own, text = 'Hi' }: { readonly own?: ModelPrice; readonly text?: string } = {},
): Promise<AgentState> {
  const agent = defineAgent({
    name: 'a',
    inference: proxyInference({ url: await pricedProxy(price) }),
    budget: { maxCost },
    ...(own && { llmConfig: { model: 'openai-compatible:m', prices: { 'openai-compatible:m': own } } }),
  });
  return createAgentLoop(agent).execute(AgentState.withUserMessage(AgentState.create(), text));
}

const costOf = (state: AgentState): number | null | undefined =>
  AgentState.steps(state)[0]?.inferenceResponse?.usage.cost;

describe('a page without prices of its own', () => {
  it('the list of models carries the price', async () => {
    const price = { input: 2, output: 10, cacheRead: 0.2 };
    const url = await pricedProxy(price);
    const { models } = (await (await fetch(`${url}/v1/models`)).json()) as { models: unknown[] };
    expect(models).toMatchObject([{ id: 'openai-compatible:m', price }]);
  });

  it('a run with maxCost counts by the price of the proxy', async () => {
    const ended = await runWith({ input: 2, output: 10 }, 5);
    expect([AgentState.status(ended), costOf(ended)]).toEqual(['completed', 2.0001]);
    expect(AgentState.stopSignals(ended).map(({ reason }) => reason)).not.toContain('cost-limit-reached');
  });

  it('a price of the application takes precedence over that of the proxy', async () => {
    expect(costOf(await runWith({ input: 2, output: 10 }, 50, { own: { input: 3, output: 0 } }))).toBe(3);
  });

  it('a first call that would cost more than maxCost at the price of the proxy is not sent', async () => {
    const ended = await runWith({ input: 2, output: 10 }, 0.001, { text: 'x'.repeat(20_000) });
    expect(AgentState.stopReason(ended)).toBe('cost-limit-reached');
    expect(AgentState.stopSignal(ended)?.context).toMatchObject({ refused: true });
    expect(AgentState.usage(ended).totalTokens).toBe(0);
  });

  it('a model without any price has an unknown cost', async () => {
    const ended = await runWith(undefined, 5);
    expect(costOf(ended)).toBeNull();
  });
});
