import { describe, expect, it } from 'vitest';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import * as Budget from '../graph/limits/execution-budget.ts';
import type { Spent } from '../graph/limits/limits.ts';
import { of as usageOf } from '../graph/usage.ts';
import { type CallEstimate, estimateCall } from './estimate-call.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { spentWith, stateOf } from './ledger/simulation.fixture.ts';

const never = new AbortController().signal;

function exactly(tokens: number): CallEstimate {
  return { tokens, cost: null };
}

/** A ledger of its own with what was spent, as a run would have it. */
function account(
  limits: Partial<Budget.ExecutionBudget>,
  parent: Ledger | null = null,
): { ledger: Ledger; spend: (spent: Partial<Spent>) => void; waits: unknown[] } {
  let total = spentWith({});
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
      spent: () => spentWith({}),
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

  it('lets nobody start beside a call whose size is not known', async () => {
    const { ledger } = account({ maxTokens: 100 });
    const unknown = await ledger.hold({ tokens: null, cost: null }, never);
    const small = ledger.hold(exactly(1), never);
    expect(await stateOf(small)).toBe('waiting');
    unknown.settle(null);
    expect(await stateOf(small)).toBe('started');
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
