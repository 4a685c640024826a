import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Bill,
  billOf,
  type Rule,
  rules,
  runs,
  worldOf,
} from '../../../../tests/upstream/cached-runs.ts';

type Bills = {
  readonly of: (run: string) => Bill;
  readonly all: Bill;
  /** The cost that the proxy has counted. */
  readonly counted: number;
};

/** Plays all runs against a cache, each at a provider that knows nothing yet. */
async function playAll(rule: Rule, use?: string): Promise<Bills> {
  const bills = new Map<string, Bill>();
  const worlds: ReturnType<typeof worldOf>[] = [];
  for (const [name, run] of Object.entries(runs)) {
    const world = worldOf(rule, use);
    await run(world);
    worlds.push(world);
    bills.set(name, billOf(world.counted, rule));
  }
  return {
    of: (run) => bills.get(run)!,
    all: billOf(
      worlds.flatMap(({ counted }) => counted),
      rule,
    ),
    counted: worlds.flatMap(({ costs }) => costs).reduce((sum, cost) => sum + cost, 0),
  };
}

/** The runs that paid more than their input. One question with tools may, see docs/decisions/told-context.md. */
function dearerRuns({ of }: Bills): readonly string[] {
  return Object.keys(runs).filter((run) => of(run).paid > of(run).input);
}

/** The bills of runs before plugins told behind the conversation and anything was marked, in tokens of plain input. */
const before = { 'ten steps': 74_661, 'moving context': 80_036, all: 848_930 };

describe('the bill of fifteen kinds of runs', () => {
  it('a cache by marks takes at most 0.47 of the former bill, and 0.30 of that of ten steps', async () => {
    const bills = await playAll(rules.marks);
    const ten = bills.of('ten steps');
    expect(ten.paid / before['ten steps']).toBeLessThanOrEqual(0.3);
    expect(ten.read / ten.input).toBeGreaterThanOrEqual(0.8);
    const moves = bills.of('moving context');
    expect(moves.paid / before['moving context']).toBeLessThanOrEqual(0.36);
    expect(moves.read / moves.input).toBeGreaterThanOrEqual(0.8);
    expect(bills.all.paid / before.all).toBeLessThanOrEqual(0.47);
    expect(dearerRuns(bills)).toEqual(['one question with tools']);
    expect(bills.counted).toBeCloseTo(bills.all.cost, 6);
  });

  it.each([
    ['prefix', 0.36, []],
    ['breakpoints', 0.41, ['one question with tools']],
    ['units', 0.36, []],
  ] as const)('a cache by %s takes at most %d of the input without a cache', async (name, most, dear) => {
    const bills = await playAll(rules[name]);
    expect(bills.all.paid / bills.all.input).toBeLessThanOrEqual(most);
    expect(dearerRuns(bills)).toEqual(dear);
    expect(bills.counted).toBeCloseTo(bills.all.cost, 6);
  });
});

/** Hashes of the requests of all runs without context and summaries, as they were sent before anything was marked. */
const formerRequests = {
  marks: '03bc05f9bce1c83e',
  prefix: 'b3240cf4a6531d4c',
  breakpoints: '3c1d61c548a13a76',
  units: '20e41cfb867dc14b',
};

it.each(Object.entries(formerRequests))(
  'every byte of a request is as it was before there were marks when the cache by %s is off',
  async (name, former) => {
    const hash = createHash('sha256');
    for (const [run, play] of Object.entries(runs)) {
      if (/context|compaction/.test(run)) continue;
      const world = worldOf(rules[name as keyof typeof rules], 'off');
      await play(world);
      for (const body of world.bodies) expect(body).not.toMatch(/cache_control|prompt_cache/);
      hash.update(world.bodies.join('\n'));
    }
    expect(hash.digest('hex').slice(0, 16)).toBe(former);
  },
);

it('the bill of marks that last an hour is counted by their price', async () => {
  const world = worldOf(rules.marks, '1h');
  await runs['slow person']?.(world);
  const bill = billOf(world.counted, rules.marks);
  expect(world.counted.some(({ long = 0 }) => long > 0)).toBe(true);
  expect(world.costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(bill.cost, 6);
  expect(bill.read / bill.input).toBeGreaterThanOrEqual(0.7);
});
