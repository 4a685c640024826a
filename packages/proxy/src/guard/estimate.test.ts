import { type ModelPrice, Usage } from '@vitrine/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { estimateUsage } from './estimate.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 200);
const amount = fc.nat(3000).map((cents) => cents / 100);
const row = fc.record(
  { input: amount, output: amount, cacheRead: amount, cacheWrite: amount, cacheWriteHour: amount },
  { requiredKeys: ['input', 'output'] },
);
const prices: fc.Arbitrary<ModelPrice> = fc
  .tuple(row, fc.option(fc.tuple(row, fc.constantFrom(0, 1000, 100_000))))
  .map(([base, above]) => (above === null ? base : { ...base, above: { ...above[0], tokens: above[1] } }));

const limits = { imageBytes: 1_000_000, contextTokens: null };

it('the most that a request may cost is at least each of its bills, by every row of the price', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const shares = fc.record({ size: share, read: share, write: share, hour: share, output: share });
  fc.assert(
    fc.property(prices, fc.nat(400_000), shares, (price, bytes, { size, read, write, hour, output }) => {
      const most = estimateUsage(request, bytes, { price }, limits);
      const inputTokens = Math.floor(most.inputTokens * size);
      const cacheReadTokens = Math.floor(inputTokens * read);
      const cacheWriteTokens = Math.floor((inputTokens - cacheReadTokens) * write);
      const bill = Usage.withPrice(
        Usage.of({
          inputTokens,
          outputTokens: Math.floor(most.outputTokens * output),
          cacheReadTokens,
          cacheWriteTokens,
          cacheWriteHourTokens: Math.floor(cacheWriteTokens * hour),
        }),
        price,
      );
      expect(most.cost).toBeGreaterThanOrEqual((bill.cost ?? NaN) - 1e-9);
    }),
    { numRuns },
  );
});

it('what is written for an hour is held and charged as such where that is the dearest', () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 };
  const most = estimateUsage(request, 1000, { price }, limits);
  expect(most).toMatchObject({ inputTokens: 1000, cacheWriteTokens: 1000, cacheWriteHourTokens: 1000 });
  expect(Usage.withPrice({ ...most, cost: null }, price).cost).toBeCloseTo(most.cost ?? NaN, 5);
});
