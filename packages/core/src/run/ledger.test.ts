import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import * as Budget from '../graph/limits/execution-budget.ts';
import type { Spent } from '../graph/limits/limits.ts';
import { of as usageOf } from '../graph/usage.ts';
import { type CallEstimate, estimateCall } from './estimate-call.ts';
import { createLedger, type Hold, type Ledger } from './ledger.ts';

const never = new AbortController().signal;

function spentOf(spent: Partial<Spent>): Spent {
  return { steps: 0, tokens: 0, seconds: 0, cost: 0, hasUnknownCost: false, ...spent };
}

function exactly(tokens: number): CallEstimate {
  return { tokens, cost: null };
}

/** A ledger of its own with what was spent, as a run would have it. */
function account(
  limits: Partial<Budget.ExecutionBudget>,
  parent: Ledger | null = null,
): { ledger: Ledger; spend: (spent: Partial<Spent>) => void; waits: unknown[] } {
  let total = spentOf({});
  const waits: unknown[] = [];
  const budget = Budget.of(limits);
  const ledger = createLedger({
    budget,
    spent: () => total,
    parent,
    onWait: (held) => waits.push(held),
  });
  return { ledger, waits, spend: (spent) => (total = { ...total, ...spent }) };
}

/** Whether a promise is settled once all that can go on by itself has gone on. */
async function stateOf(promise: Promise<unknown>): Promise<'waiting' | 'started' | 'refused'> {
  let state: 'waiting' | 'started' | 'refused' = 'waiting';
  promise.then(
    () => (state = 'started'),
    () => (state = 'refused'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
}

describe('a ledger', () => {
  it('lets calls run side by side while they fit, and the next when one has ended', async () => {
    const { ledger, spend, waits } = account({ maxTokens: 100 });
    const [first, second] = await Promise.all([
      ledger.hold(exactly(40), never),
      ledger.hold(exactly(40), never),
    ]);
    const third = ledger.hold(exactly(40), never);
    expect(await stateOf(third)).toBe('waiting');
    expect(waits).toEqual([{ tokens: 80, cost: 0 }]);
    spend({ tokens: 15 });
    first.settle(usageOf({ outputTokens: 15 }));
    expect(await stateOf(third)).toBe('started');
    expect(second).not.toBe(first);
  });

  it('starts a call that would exceed when it is alone and something is left', async () => {
    const { ledger, spend } = account({ maxTokens: 100 });
    const small = await ledger.hold(exactly(10), never);
    const large = ledger.hold(exactly(500), never);
    expect(await stateOf(large)).toBe('waiting');
    spend({ tokens: 10 });
    small.settle(null);
    expect(await stateOf(large)).toBe('started');
  });

  it('refuses who waits when the limit is reached, with its reason', async () => {
    const { ledger, spend } = account({ maxTokens: 100 });
    const first = await ledger.hold(exactly(100), never);
    const second = ledger.hold(exactly(1), never);
    expect(await stateOf(second)).toBe('waiting');
    spend({ tokens: 120 });
    first.settle(null);
    const error = await second.catch((thrown: unknown) => thrown);
    expect(isAgentStopError(error) && error.signal).toMatchObject({
      reason: 'token-limit-reached',
      message: 'Token limit reached: 120/100',
    });
    await expect(ledger.hold(exactly(1), never)).rejects.toThrow('120/100');
    expect(ledger.exceeded(0).map(({ reason }) => reason)).toEqual(['token-limit-reached']);
  });

  it('holds and refuses by every ledger above', async () => {
    const root = account({ maxTokens: 100 });
    const between = account({}, root.ledger);
    const child = account({ maxTokens: 1000 }, between.ledger);
    const hold = await child.ledger.hold(exactly(60), never);
    expect(await stateOf(root.ledger.hold(exactly(60), never))).toBe('waiting');
    root.spend({ tokens: 100 });
    hold.settle(null);
    await expect(child.ledger.hold(exactly(1), never)).rejects.toThrow('100/100');
  });

  it('lets a call pass that does not need what another one waits for', async () => {
    const root = account({ maxTokens: 1000 });
    const tight = account({ maxTokens: 10 }, root.ledger);
    await tight.ledger.hold(exactly(10), never);
    expect(await stateOf(tight.ledger.hold(exactly(10), never))).toBe('waiting');
    expect(await stateOf(root.ledger.hold(exactly(10), never))).toBe('started');
  });

  it('lets nobody overtake who would take the room of one who waits', async () => {
    const { ledger } = account({ maxTokens: 100 });
    const first = await ledger.hold(exactly(60), never);
    const large = ledger.hold(exactly(90), never);
    const small = ledger.hold(exactly(5), never);
    expect(await stateOf(small)).toBe('waiting');
    first.settle(null);
    expect([await stateOf(large), await stateOf(small)]).toEqual(['started', 'started']);
  });

  it('ends a wait at once when it is aborted, and lets the next go', async () => {
    const { ledger } = account({ maxTokens: 100 });
    await ledger.hold(exactly(60), never);
    const controller = new AbortController();
    const large = ledger.hold(exactly(90), controller.signal);
    const small = ledger.hold(exactly(5), never);
    controller.abort('enough');
    await expect(large).rejects.toBe('enough');
    expect(await stateOf(small)).toBe('started');
    await expect(ledger.hold(exactly(1), controller.signal)).rejects.toBe('enough');
  });

  it('gives room back once, however often it is settled', async () => {
    const { ledger } = account({ maxTokens: 100 });
    const first = await ledger.hold(exactly(50), never);
    await ledger.hold(exactly(50), never);
    first.settle(null);
    first.settle(null);
    await ledger.hold(exactly(50), never);
    expect(await stateOf(ledger.hold(exactly(50), never))).toBe('waiting');
  });

  it('runs one call alone until a size is known, then the others side by side', async () => {
    const { ledger, spend } = account({ maxTokens: 1000 });
    const estimate = (): CallEstimate =>
      estimateCall({
        requestBytes: 10,
        maxOutputTokens: null,
        largestOutput: ledger.largestOutput(),
        price: null,
      });
    const calls = [1, 2, 3, 4].map(() => ledger.hold(estimate, never));
    expect(await Promise.all(calls.map(stateOf))).toEqual(['started', 'waiting', 'waiting', 'waiting']);
    spend({ tokens: 30 });
    (await calls[0])?.settle(usageOf({ outputTokens: 20 }));
    expect(await Promise.all(calls.map(stateOf))).toEqual(['started', 'started', 'started', 'started']);
  });

  it('knows the largest output of a run that is taken up again', () => {
    const root: Ledger = createLedger({
      budget: Budget.of({ maxTokens: 9 }),
      spent: () => spentOf({}),
      largestOutput: 7,
    });
    expect(account({}, root).ledger.largestOutput()).toBe(7);
  });

  it('remembers the largest output, not the last', async () => {
    const { ledger } = account({ maxTokens: 1000 });
    for (const outputTokens of [5, 20, 7]) {
      (await ledger.hold(exactly(20), never)).settle(usageOf({ outputTokens }));
    }
    expect(ledger.largestOutput()).toBe(20);
  });

  it('holds money in millionths, and one call alone while no price is known', async () => {
    const { ledger } = account({ maxCost: 0.8 });
    const first = await ledger.hold({ tokens: 1, cost: 0.7 }, never);
    await ledger.hold({ tokens: 1, cost: 0.1 }, never);
    expect(await stateOf(ledger.hold({ tokens: 1, cost: 0.000001 }, never))).toBe('waiting');
    first.settle(null);
    const unpriced = account({ maxCost: 1 });
    const alone = await unpriced.ledger.hold(exactly(1), never);
    const next = unpriced.ledger.hold(exactly(1), never);
    expect(await stateOf(next)).toBe('waiting');
    unpriced.spend({ hasUnknownCost: true });
    alone.settle(null);
    await expect(next).rejects.toThrow('llmConfig.prices');
  });

  it('lets nobody start beside a call whose price is not known', async () => {
    const { ledger } = account({ maxCost: 1 });
    await ledger.hold({ tokens: 1, cost: null }, never);
    expect(await stateOf(ledger.hold({ tokens: 1, cost: 0.000001 }, never))).toBe('waiting');
  });

  it('takes no millionth for the rounding of a product', async () => {
    const { ledger } = account({ maxCost: 0.002 });
    await ledger.hold({ tokens: 1, cost: 0.001962 }, never);
    expect(await stateOf(ledger.hold({ tokens: 1, cost: 0.000038 }, never))).toBe('started');
  });

  it('costs nothing when nothing limits tokens or money', async () => {
    const { ledger } = account({ maxSteps: 1, maxSeconds: 1, deadline: 1 });
    const unasked = (): CallEstimate => expect.unreachable('no estimate is needed');
    expect(ledger.isLimited).toBe(false);
    expect(ledger.hold(unasked, never)).toBe(account({}, ledger).ledger.hold(unasked, never));
    (await ledger.hold(unasked, never)).settle(null);
  });
});

describe('the estimate of a call', () => {
  const price = { input: 3, output: 15, cacheWrite: 4 };
  it('is never less than the call may cost', () => {
    const call = { requestBytes: 1000, maxOutputTokens: 100, largestOutput: 7, price };
    expect(estimateCall(call)).toEqual({ tokens: 1100, cost: 0.0055 });
    expect(estimateCall({ ...call, maxOutputTokens: null })).toEqual({ tokens: 1007, cost: 0.004105 });
  });

  it('is unknown without an output limit and an answer before', () => {
    const call = { requestBytes: 1000, maxOutputTokens: null, largestOutput: null, price };
    expect(estimateCall(call)).toEqual({ tokens: null, cost: null });
    expect(estimateCall({ ...call, maxOutputTokens: 5, price: null })).toEqual({ tokens: 1005, cost: null });
  });
});

/** An agent of the simulated tree: rounds of one model call and then its subagents. */
type Sim = {
  readonly maxTokens: number | null;
  readonly concurrency: number;
  readonly rounds: readonly SimCall[];
  readonly children: readonly Sim[];
  /** Ticks after which it is aborted; null never. */
  readonly abortAfter: number | null;
};
type SimCall = {
  readonly bytes: number;
  readonly input: number;
  readonly output: number;
  readonly ticks: number;
};
type Node = { readonly sim: Sim; readonly parent: Node | null; own: number; readonly below: Node[] };

type Report = {
  /** What an agent spent above its limit, against the largest call in and below it. */
  readonly overshoots: { readonly over: number; readonly largest: number; readonly beyond: number }[];
  maxInFlight: number;
  inFlight: number;
  refusedTooEarly: number;
  total: number;
  isStuck: boolean;
  heldAtEnd: number;
  refused: number;
};

const outputLimit = 50;

/** Plays a tree of agents on ledgers; what a call spends is random, what it holds is an estimate. */
async function play(sim: Sim, maxOutputTokens: number | null): Promise<Report> {
  const report: Report = {
    overshoots: [],
    maxInFlight: 0,
    inFlight: 0,
    refusedTooEarly: 0,
    total: 0,
    isStuck: false,
    heldAtEnd: 0,
    refused: 0,
  };
  const nodes: { node: Node; largest: () => number; beyond: () => number; ledger: Ledger }[] = [];
  const spent = (node: Node): number => node.own + node.below.reduce((sum, child) => sum + spent(child), 0);

  async function run(
    value: Sim,
    parent: { node: Node; ledger: Ledger; signal: AbortSignal; note: Note } | null,
  ) {
    const node: Node = { sim: value, parent: parent?.node ?? null, own: 0, below: [] };
    parent?.node.below.push(node);
    const controller = new AbortController();
    const signal = parent === null ? controller.signal : AbortSignal.any([controller.signal, parent.signal]);
    const ledger = createLedger({
      budget: Budget.of({ maxTokens: value.maxTokens }),
      spent: () => spentOf({ tokens: spent(node) }),
      parent: parent?.ledger ?? null,
    });
    let largest = 0;
    let beyond = 0;
    const note: Note = (tokens, more) => {
      largest = Math.max(largest, tokens);
      beyond += more;
      parent?.note(tokens, more);
    };
    nodes.push({ node, largest: () => largest, beyond: () => beyond, ledger });
    if (value.abortAfter !== null) void ticks(value.abortAfter).then(() => controller.abort('aborted'));
    for (const call of value.rounds) {
      if (!(await infer(call, node, ledger, signal, note))) break;
      const queue = [...value.children];
      const workers = Array.from({ length: value.concurrency }, async () => {
        for (let child = queue.shift(); child !== undefined; child = queue.shift()) {
          await run(child, { node, ledger, signal, note });
        }
      });
      await Promise.all(workers);
    }
  }

  async function infer(call: SimCall, node: Node, ledger: Ledger, signal: AbortSignal, note: Note) {
    const size = { requestBytes: call.bytes, price: null };
    let held = 0;
    const estimate = (): CallEstimate => {
      const limits = { maxOutputTokens, largestOutput: ledger.largestOutput() };
      const found = estimateCall({ ...size, ...limits });
      held = found.tokens ?? Infinity;
      return found;
    };
    let hold: Hold;
    try {
      hold = await ledger.hold(estimate, signal);
    } catch (error) {
      if (!isAgentStopError(error)) return false;
      report.refused += 1;
      const isReached = (at: Node | null): boolean =>
        at !== null && ((at.sim.maxTokens !== null && spent(at) >= at.sim.maxTokens) || isReached(at.parent));
      if (!isReached(node)) report.refusedTooEarly += 1;
      return false;
    }
    report.maxInFlight = Math.max(report.maxInFlight, ++report.inFlight);
    await ticks(call.ticks);
    report.inFlight -= 1;
    if (signal.aborted) {
      hold.settle(null);
      return false;
    }
    const tokens = call.input + call.output;
    note(tokens, Math.max(0, tokens - held));
    node.own += tokens;
    hold.settle(usageOf({ inputTokens: call.input, outputTokens: call.output }));
    return true;
  }

  const done = run(sim, null);
  report.isStuck = (await stateOf(done)) !== 'started';
  for (const { node, largest, beyond, ledger } of nodes) {
    report.heldAtEnd += ledger.tree.accounts.reduce((sum, { held }) => sum + held().tokens, 0);
    if (node.sim.maxTokens === null) continue;
    const over = spent(node) - node.sim.maxTokens;
    report.overshoots.push({ over, largest: largest(), beyond: beyond() });
  }
  report.total = nodes[0] === undefined ? 0 : spent(nodes[0].node);
  return report;
}

type Note = (tokens: number, beyondItsHold: number) => void;

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

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
