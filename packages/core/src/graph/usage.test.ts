import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withPrice } from './usage.ts';
import * as Usage from './usage.ts';

describe('the arithmetic of usage', () => {
  it('a sum of money is exact in any order and grouping', () => {
    const money = fc.nat(5_000_000).map((millionths) => Usage.of({ cost: millionths / 1_000_000 }));
    const property = fc.property(fc.array(money, { minLength: 1 }), fc.nat(), (usages, at) => {
      const cut = at % usages.length;
      const inTwo = Usage.add(Usage.sum(usages.slice(0, cut)), Usage.sum(usages.slice(cut)));
      expect(inTwo).toEqual(Usage.sum(usages));
      expect(Usage.sum([...usages].reverse())).toEqual(Usage.sum(usages));
    });
    fc.assert(property);
    expect(Usage.add(Usage.of({ cost: 0.7 }), Usage.of({ cost: 0.1 })).cost).toBe(0.8);
  });

  it('a sum of totals adds the reported totals, not input and output', () => {
    const told = Usage.of({ inputTokens: 3, outputTokens: 4, totalTokens: 10 });
    expect(Usage.add(told, told).totalTokens).toBe(20);
  });

  it('a missing or invalid count is repaired', () => {
    expect(Usage.of({ inputTokens: 3, outputTokens: 4 }).totalTokens).toBe(7);
    expect(
      Usage.of({ inputTokens: -3, outputTokens: Number.NaN, totalTokens: Number.NaN, cost: -1 }),
    ).toEqual(Usage.none());
    expect(Usage.of({ inputTokens: 2, totalTokens: -1 }).totalTokens).toBe(2);
  });

  it('a sum is never NaN, whatever a client made by hand', () => {
    const partial = { inputTokens: 5, outputTokens: 2 } as unknown as Usage.Usage;
    expect(Usage.sum([partial, Usage.of({ inputTokens: 1 })]).totalTokens).toBe(8);
    expect(Usage.sum([partial]).totalTokens).toBe(7);
  });

  it('a sum with a single nonzero usage returns that usage', () => {
    const one = Usage.of({ inputTokens: 1 });
    expect(Usage.sum([Usage.none(), one])).toBe(one);
    expect(Usage.add(Usage.none(), Usage.none())).toBe(Usage.none());
  });

  it('an upstream cost never overrules the price of the application', () => {
    const price = { input: 3, output: 15, cacheRead: 0.3 };
    const usage = Usage.of({ inputTokens: 1000, cacheReadTokens: 400, outputTokens: 10 });
    expect(withPrice(usage, price).cost).toBe(0.00207);
    for (const cost of [0, 1]) expect(withPrice({ ...usage, cost }, price).cost).toBe(0.00207);
    expect(withPrice(Usage.none(), price).cost).toBe(0);
  });

  it('the paid share of the input is its price in relation to one without a cache', () => {
    const price = {
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
      cacheWriteHour: 6,
      above: { tokens: 5000, input: 6, output: 20, cacheRead: 1.2 },
    };
    const share = (usage: Partial<Usage.Usage>): number | null =>
      Usage.paidShare(Usage.of({ inputTokens: 1000, outputTokens: 90, ...usage }), price);
    expect(share({})).toBe(1);
    expect(share({ cacheReadTokens: 1000 })).toBeCloseTo(0.1);
    expect(share({ cacheWriteTokens: 1000 })).toBe(1.25);
    expect(share({ cacheWriteTokens: 1000, cacheWriteHourTokens: 1000 })).toBe(2);
    expect(share({ cacheReadTokens: 800, cacheWriteTokens: 100 })).toBeCloseTo(0.305);
    expect(share({ inputTokens: 6000, cacheReadTokens: 6000 })).toBeCloseTo(0.2);
    expect(Usage.paidShare(Usage.of({ inputTokens: 9 }), { input: 3, output: 15 })).toBe(1);
  });

  it('the paid share is null without a price, without input and for a free model', () => {
    const usage = Usage.of({ inputTokens: 9, cacheReadTokens: 9 });
    expect(Usage.paidShare(usage, null)).toBeNull();
    expect(Usage.paidShare(Usage.none(), { input: 3, output: 15 })).toBeNull();
    expect(Usage.paidShare(usage, { input: 0, output: 15 })).toBeNull();
  });

  it('a total that is less than input and output is raised to their sum', () => {
    expect(Usage.of({ inputTokens: 30, outputTokens: 40, totalTokens: 5 }).totalTokens).toBe(70);
  });

  it('a sum with an estimate in it is an estimate', () => {
    const estimate = Usage.of({ inputTokens: 3, isEstimated: true });
    expect(Usage.sum([Usage.of({ inputTokens: 1 }), estimate])).toMatchObject({
      inputTokens: 4,
      isEstimated: true,
    });
    expect(Usage.sum([Usage.of({ inputTokens: 1 }), Usage.of({ inputTokens: 1 })])).not.toHaveProperty(
      'isEstimated',
    );
  });
});
