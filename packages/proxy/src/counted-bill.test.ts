import { AgentState, createAgentLoop, defineAgent, type ModelPrice, proxyInference } from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startUpstream } from '../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from './create-inference-proxy.ts';
import { modelsFromEnv } from './providers/models-from-env.ts';
import type { StreamReport } from './stream/stream-report.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);

/** The tokens of one call as its provider counts them: each token stands in one group. */
type Counted = { plain: number; read: number; write: number; hour: number; out: number };

const tokens = fc.oneof(fc.constant(0), fc.nat(2000), fc.nat(400_000));
const counted = fc
  .record({ plain: fc.integer({ min: 1, max: 300_000 }), read: tokens, write: tokens, hour: tokens })
  .chain((input) => fc.integer({ min: 1, max: 50_000 }).map((out): Counted => ({ ...input, out })));

const amount = fc.nat(3000).map((cents) => cents / 100);
const row = fc.record(
  { input: amount, output: amount, cacheRead: amount, cacheWrite: amount, cacheWriteHour: amount },
  { requiredKeys: ['input', 'output'] },
);
const prices: fc.Arbitrary<ModelPrice> = fc
  .tuple(row, fc.option(fc.tuple(row, fc.constantFrom(0, 1000, 100_000, 272_000))))
  .map(([base, above]) => (above === null ? base : { ...base, above: { ...above[0], tokens: above[1] } }));

/** The bill of a provider: each group of tokens at its rate, of the card for requests of this length. */
function billOf({ plain, read, write, hour, out }: Counted, price: ModelPrice): number {
  const isLong = price.above !== undefined && plain + read + write + hour > price.above.tokens;
  const card = isLong ? (price.above as ModelPrice) : price;
  const rates = [
    [plain, card.input],
    [read, card.cacheRead ?? card.input],
    [write, card.cacheWrite ?? card.input],
    [hour, card.cacheWriteHour ?? card.cacheWrite ?? card.input],
    [out, card.output],
  ] as const;
  return rates.reduce((sum, [count, rate]) => sum + (count * rate) / 1e6, 0);
}

const sse = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const wires = {
  anthropic: {
    env: (url: string) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url }),
    answer: ({ plain, read, write, hour, out }: Counted) => {
      const usage = {
        input_tokens: plain,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write + hour,
        cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: hour },
        output_tokens: 1,
      };
      return sse([
        { type: 'message_start', message: { id: 'm', model: 'm', usage } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: out } },
        { type: 'message_stop' },
      ]);
    },
  },
  openai: {
    env: (url: string) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url }),
    answer: ({ plain, read, write, hour, out }: Counted) => {
      const input = plain + read + write + hour;
      const usage = {
        input_tokens: input,
        input_tokens_details: {
          cached_tokens: read,
          cache_write_tokens: write + hour,
          cache_write_tokens_details: { ttl_30m_tokens: write, ttl_12h_tokens: hour },
        },
        output_tokens: out,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + out,
      };
      const item = { type: 'message', id: 'i', role: 'assistant' };
      return sse([
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_text.delta', item_id: 'i', output_index: 0, delta: 'Hi' },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id: 'r', usage } },
      ]);
    },
  },
  'openai-compatible': {
    env: (url: string) => ({ OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: 'k' }),
    answer: ({ plain, read, write, hour, out }: Counted) => {
      const input = plain + read + write + hour;
      const usage = {
        prompt_tokens: input,
        completion_tokens: out,
        total_tokens: input + out,
        prompt_tokens_details: {
          cached_tokens: read,
          cache_write_tokens: write + hour,
          cache_write_tokens_details: { ttl_12h_tokens: hour },
        },
      };
      return sse([
        { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'Hi' } }] },
        { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
      ]);
    },
  },
} as const;

describe.each(Object.entries(wires))('a bill on the wire of %s', (provider, { env, answer }) => {
  it('the cost that the proxy and the page count is the bill of the provider, with all of its rates and tiers', async () => {
    const upstream = await startUpstream();
    onTestFinished(upstream.close);
    const [model] = modelsFromEnv({ ...env(upstream.url), VITRINE_MODELS: `${provider}:m` });
    if (model === undefined) throw new Error('There is no model.');
    await fc.assert(
      fc.asyncProperty(counted, prices, async (call, price) => {
        upstream.behave = { kind: 'answer', body: answer(call), size: null };
        const reports: StreamReport[] = [];
        const proxy = createInferenceProxy({
          models: [{ ...model, price }],
          allowedHosts: ['local.test'],
          log: () => undefined,
          onStreamEnd: (report) => void reports.push(report),
        });
        const fetch: typeof globalThis.fetch = (url, init) => proxy.fetch(new Request(url, init));
        const inference = proxyInference({ url: 'http://local.test', fetch });
        const agent = defineAgent({ name: 'a', inference });
        const state = await createAgentLoop(agent).execute(
          AgentState.withUserMessage(AgentState.create(), 'Hello'),
        );
        const bill = billOf(call, price);
        expect(reports).toHaveLength(1);
        expect(Math.abs((reports[0]?.usage.cost ?? NaN) - bill)).toBeLessThan(1e-6);
        expect(Math.abs((AgentState.usage(state).cost ?? NaN) - bill)).toBeLessThan(1e-6);
        await proxy.close({ graceMs: 0 });
      }),
      { numRuns },
    );
  });
});
