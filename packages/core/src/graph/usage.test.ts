import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withCost } from './llm-config.ts';
import * as Usage from './usage.ts';

describe('usage', () => {
  it('sums money exactly, in any order and grouping', () => {
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

  it('sums the totals as they were told, not what input and output come to', () => {
    const told = Usage.of({ inputTokens: 3, outputTokens: 4, totalTokens: 10 });
    expect(Usage.add(told, told).totalTokens).toBe(20);
  });

  it('mends what is missing or no count', () => {
    expect(Usage.of({ inputTokens: 3, outputTokens: 4 }).totalTokens).toBe(7);
    expect(
      Usage.of({ inputTokens: -3, outputTokens: Number.NaN, totalTokens: Number.NaN, cost: -1 }),
    ).toEqual(Usage.none());
    expect(Usage.of({ inputTokens: 2, totalTokens: -1 }).totalTokens).toBe(2);
  });

  it('never sums to NaN, whatever a client made by hand', () => {
    const partial = { inputTokens: 5, outputTokens: 2 } as unknown as Usage.Usage;
    expect(Usage.sum([partial, Usage.of({ inputTokens: 1 })]).totalTokens).toBe(8);
    expect(Usage.sum([partial]).totalTokens).toBe(7);
  });

  it('gives back the only usage that is not zero', () => {
    const one = Usage.of({ inputTokens: 1 });
    expect(Usage.sum([Usage.none(), one])).toBe(one);
    expect(Usage.add(Usage.none(), Usage.none())).toBe(Usage.none());
  });

  it('takes its price from the table only when it has none', () => {
    const config = { model: 'm', settings: {}, prices: { m: { input: 3, output: 15, cacheRead: 0.3 } } };
    const usage = Usage.of({ inputTokens: 1000, cacheReadTokens: 400, outputTokens: 10 });
    expect(withCost(usage, 'm', config).cost).toBe(0.00207);
    expect(withCost({ ...usage, cost: 1 }, 'm', config).cost).toBe(1);
    expect(withCost(usage, 'other', config).cost).toBe(null);
    expect(withCost(Usage.none(), 'm', config).cost).toBe(0);
  });
});
