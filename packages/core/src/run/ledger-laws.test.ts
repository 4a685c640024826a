import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, type Sim } from './ledger/simulation.fixture.ts';

const outputLimit = 50;

const call = fc
  .record({
    bytes: fc.integer({ min: 1, max: 200 }),
    share: fc.integer({ min: 0, max: 100 }),
    output: fc.integer({ min: 1, max: outputLimit }),
    ticks: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ bytes, share, output, ticks: duration }) => ({
    bytes,
    input: Math.floor((bytes * share) / 100),
    output,
    ticks: duration,
  }));

function tree(depth: number, aborts: boolean): fc.Arbitrary<Sim> {
  return fc.record({
    maxTokens: fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 3 }),
    concurrency: fc.integer({ min: 1, max: 8 }),
    rounds: fc.array(call, { minLength: 1, maxLength: 3 }),
    children: depth === 0 ? fc.constant([]) : fc.array(tree(depth - 1, aborts), { maxLength: 3 }),
    abortAfter: aborts ? fc.option(fc.integer({ min: 0, max: 200 }), { freq: 3 }) : fc.constant(null),
  });
}

/** One agent that calls subagents at the given depth, 4 beside each other, of which the lowest make equal calls. */
function evenTree(depth: number): Sim {
  const none = { concurrency: 4, abortAfter: null, maxTokens: null };
  const leaf: Sim = {
    ...none,
    rounds: Array.from({ length: 100 }, () => ({ bytes: 10, input: 0, output: 20, ticks: 5 })),
    children: [],
  };
  let value = leaf;
  // The agents above spend nothing themselves.
  const free = { bytes: 0, input: 0, output: 0, ticks: 1 };
  for (let level = 0; level < depth; level++) {
    value = { ...none, rounds: [free], children: [value, value, value, value] };
  }
  return { ...value, maxTokens: 1000 };
}

describe('parallel agents on one ledger', () => {
  it.each([
    ['known', outputLimit],
    ['not known', null],
  ])('never wait for ever, leak room or stop early when the output limit is %s', async (_, limit) => {
    const property = fc.asyncProperty(tree(3, true), async (sim) => {
      const report = await play(sim, limit);
      expect(report).toMatchObject({ isStuck: false, heldAtEnd: 0, refusedTooEarly: 0, inFlight: 0 });
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('overshoot every limit by less than one call when the output limit is known', async () => {
    const property = fc.asyncProperty(tree(3, false), async (sim) => {
      const { overshoots } = await play(sim, outputLimit);
      for (const { over, largest } of overshoots) expect(over).toBeLessThan(Math.max(1, largest));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('without an output limit overshoot by no more than a call and what calls put out beyond their estimate', async () => {
    const property = fc.asyncProperty(tree(3, true), async (sim) => {
      const { overshoots } = await play(sim, null);
      for (const { over, largest, beyond } of overshoots) {
        expect(over).toBeLessThan(Math.max(1, largest) + beyond);
      }
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it.each([
    [1, 4],
    [2, 16],
    [3, 33],
  ])(
    'of depth %d spend a budget that equal calls divide to the last token, %d of them side by side',
    async (depth, side) => {
      const report = await play(evenTree(depth), 20);
      expect(report.total).toBe(1000);
      expect(report.maxInFlight).toBe(side);
      expect(report.isStuck).toBe(false);
    },
  );

  it('finish all that they set out to do when there is room', async () => {
    const property = fc.asyncProperty(tree(2, false), async (sim) => {
      const { refused, isStuck } = await play({ ...sim, maxTokens: 1_000_000 }, outputLimit);
      const below = (value: Sim): readonly Sim[] => [value, ...value.children.flatMap(below)];
      if (below(sim).every((value) => value === sim || value.maxTokens === null)) expect(refused).toBe(0);
      expect(isStuck).toBe(false);
    });
    await fc.assert(property);
  });
});
