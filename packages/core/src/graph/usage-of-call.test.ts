import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportedUsage, usageOfCall } from './usage-of-call.ts';

const bytes = { countOut: () => 300, countIn: () => 10 };
const usageOf = (raw: unknown) => usageOfCall(reportedUsage(raw), bytes);

/** Figures that no provider can mean. */
const absurd = [undefined, null, 0, -5, -0, Number.NaN, Infinity, '12', {}, []];

describe('the usage of a model call', () => {
  it('possible figures of a call are taken unchanged', () => {
    expect(usageOf({ inputTokens: 40, outputTokens: 2, totalTokens: 42 })).toMatchObject({
      inputTokens: 40,
      outputTokens: 2,
      totalTokens: 42,
    });
    expect(usageOf({ inputTokens: 40, outputTokens: 2 })).not.toHaveProperty('isEstimated');
  });

  it.each(absurd.map((figure) => [String(figure), figure]))(
    'input, output and total of %s are estimated as a third of the bytes, rounded up',
    (_text, figure) => {
      expect(usageOf({ inputTokens: figure, outputTokens: figure, totalTokens: figure })).toMatchObject({
        inputTokens: 100,
        outputTokens: 4,
        totalTokens: 104,
        isEstimated: true,
      });
      expect(usageOf({ inputTokens: figure, outputTokens: 7 })).toMatchObject({
        inputTokens: 100,
        outputTokens: 7,
        isEstimated: true,
      });
      expect(usageOf({ inputTokens: 50, outputTokens: figure })).toMatchObject({
        inputTokens: 50,
        outputTokens: 4,
        isEstimated: true,
      });
    },
  );

  it('a total of a call is never below input plus output, and fills in a missing one of them', () => {
    expect(usageOf({ inputTokens: 40, outputTokens: 2, totalTokens: 5 }).totalTokens).toBe(42);
    expect(usageOf({ inputTokens: 40, totalTokens: 90 })).toMatchObject({
      outputTokens: 50,
      totalTokens: 90,
    });
    expect(usageOf({ outputTokens: 40, totalTokens: 900 })).toMatchObject({ inputTokens: 860 });
    expect(usageOf({ totalTokens: 900 })).toMatchObject({ inputTokens: 100, outputTokens: 800 });
  });

  it('an answer without content may have no output tokens', () => {
    const silent = { countOut: () => 300, countIn: () => 0 };
    const usage = usageOfCall(reportedUsage({ inputTokens: 9, outputTokens: 0 }), silent);
    expect(usage).toMatchObject({ totalTokens: 9 });
    expect(usage).not.toHaveProperty('isEstimated');
  });

  it('a client that answers without a model may guarantee its zeros', () => {
    expect(usageOf({ inputTokens: 0, outputTokens: 0, isExact: true }).totalTokens).toBe(0);
    expect(usageOf({ inputTokens: Number.NaN, outputTokens: 0, isExact: true }).totalTokens).toBe(100);
  });

  it('a call is never free, whatever is reported, and impossible figures are replaced', () => {
    const figure = fc.oneof(fc.constantFrom(...absurd), fc.integer(), fc.double(), fc.string());
    const report = fc.record(
      { inputTokens: figure, outputTokens: figure, totalTokens: figure, cost: figure },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(report, figure), fc.nat(5000), fc.nat(5000), (raw, sent, received) => {
        const usage = usageOfCall(reportedUsage(raw), { countOut: () => sent + 1, countIn: () => received });
        expect(usage.inputTokens).toBeGreaterThan(0);
        if (received > 0) expect(usage.outputTokens).toBeGreaterThan(0);
        expect(usage.totalTokens).toBeGreaterThanOrEqual(usage.inputTokens + usage.outputTokens);
        for (const count of [usage.inputTokens, usage.outputTokens, usage.totalTokens])
          expect(Number.isSafeInteger(count) || count > Number.MAX_SAFE_INTEGER).toBe(true);
      }),
    );
  });
});
