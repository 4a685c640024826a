import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, type Sim, type SimReport } from './ledger/simulation.fixture.ts';

const outputLimit = 50;
const numRuns = Number(process.env['PROVE_RUNS'] ?? 100);

const reports = ['exact', 'absent', 'zero', 'negative', 'text', 'total too low', 'late'] as const;
const call = fc
  .record({
    // Requests over 1,024 bytes may be refused before they are sent.
    bytes: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1025, max: 30_000 })),
    report: fc.constantFrom<SimReport>(...reports),
    share: fc.integer({ min: 0, max: 100 }),
    output: fc.integer({ min: 1, max: outputLimit }),
    ticks: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ bytes, report, share, output, ticks: duration }) => ({
    bytes,
    report,
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

/** An agent over subagents of the given depth, 4 beside each other. The lowest ones make equal calls. */
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
  ])(
    'parallel agents on one ledger never wait for ever, leak room or stop early with the output limit %s',
    async (_, limit) => {
      const property = fc.asyncProperty(tree(3, true), async (sim) => {
        const report = await play(sim, limit);
        expect(report).toMatchObject({ isStuck: false, heldAtEnd: 0, refusedTooEarly: 0, inFlight: 0 });
        expect(report.sentWithoutRoom, 'calls that were sent though they need more than is left').toBe(0);
      });
      await fc.assert(property, { numRuns });
    },
  );

  it('parallel agents exceed no limit by a whole call when the output limit is known', async () => {
    const property = fc.asyncProperty(tree(3, false), async (sim) => {
      const { overshoots } = await play(sim, outputLimit);
      for (const { over, largest } of overshoots) expect(over).toBeLessThan(Math.max(1, largest));
    });
    await fc.assert(property, { numRuns });
  });

  it('parallel agents without an output limit exceed a limit by at most one call and the outputs beyond their estimates', async () => {
    const property = fc.asyncProperty(tree(3, true), async (sim) => {
      const { overshoots } = await play(sim, null);
      for (const { over, largest, beyond } of overshoots) {
        expect(over).toBeLessThan(Math.max(1, largest) + beyond);
      }
    });
    await fc.assert(property, { numRuns });
  });

  it.each([
    [1, 4],
    [2, 16],
    [3, 33],
  ])(
    'a tree of depth %d spends a budget that equal calls divide exactly, %d of them side by side',
    async (depth, side) => {
      const report = await play(evenTree(depth), 20);
      expect(report.total).toBe(1000);
      expect(report.maxInFlight).toBe(side);
      expect(report.isStuck).toBe(false);
    },
  );

  it('parallel agents finish all their work when there is room', async () => {
    const property = fc.asyncProperty(tree(2, false), async (sim) => {
      const { refused, isStuck } = await play({ ...sim, maxTokens: 1e9 }, outputLimit);
      const below = (value: Sim): readonly Sim[] => [value, ...value.children.flatMap(below)];
      if (below(sim).every((value) => value === sim || value.maxTokens === null)) expect(refused).toBe(0);
      expect(isStuck).toBe(false);
    });
    await fc.assert(property, { numRuns });
  });
});
