import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import * as Budget from '../graph/execution-budget.ts';
import type { Spent } from '../graph/limits.ts';
import type { ModelPrice } from '../graph/llm-config.ts';
import { of as usageOf, withPrice } from '../graph/usage.ts';
import { type CallEstimate, estimateCall, textBytes } from './estimate-call.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { spentWith, stateOf } from './ledger/simulation.fixture.ts';

const never = new AbortController().signal;

function exactly(tokens: number): CallEstimate {
  return { tokens, cost: null };
}

/** Creates a ledger with the given spending, as a run would have it. */
function account(
  limits: Partial<Budget.ExecutionBudget>,
  parent: Ledger | null = null,
): { ledger: Ledger; spend: (spent: Partial<Spent>) => void; waits: unknown[] } {
  let total = spentWith({});
  const waits: unknown[] = [];
  const budget = Budget.of(limits);
  const ledger = createLedger({
    budget,
    spending: () => total,
    parent,
    onWait: (held) => waits.push(held),
  });
  return { ledger, waits, spend: (spent) => (total = { ...total, ...spent }) };
}

describe('a ledger', () => {
  it('a ledger runs calls side by side while they fit, and starts the next when one has ended', async () => {
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

  it('a ledger starts a call over the limit when nothing else runs and something is left', async () => {
    const { ledger, spend } = account({ maxTokens: 100 });
    const small = await ledger.hold(exactly(10), never);
    const large = ledger.hold(exactly(500), never);
    expect(await stateOf(large)).toBe('waiting');
    spend({ tokens: 10 });
    small.settle(null);
    expect(await stateOf(large)).toBe('started');
  });

  it('a waiting call is refused with the reason of the limit when that is reached', async () => {
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
    expect(ledger.stopSignals(0).map(({ reason }) => reason)).toEqual(['token-limit-reached']);
  });

  it('a call holds room in every ledger above, and each of them can refuse it', async () => {
    const root = account({ maxTokens: 100 });
    const between = account({}, root.ledger);
    const child = account({ maxTokens: 1000 }, between.ledger);
    const hold = await child.ledger.hold(exactly(60), never);
    expect(await stateOf(root.ledger.hold(exactly(60), never))).toBe('waiting');
    root.spend({ tokens: 100 });
    hold.settle(null);
    await expect(child.ledger.hold(exactly(1), never)).rejects.toThrow('100/100');
  });

  it('a call passes another one when it does not need the room which that one waits for', async () => {
    const root = account({ maxTokens: 1000 });
    const tight = account({ maxTokens: 10 }, root.ledger);
    await tight.ledger.hold(exactly(10), never);
    expect(await stateOf(tight.ledger.hold(exactly(10), never))).toBe('waiting');
    expect(await stateOf(root.ledger.hold(exactly(10), never))).toBe('started');
  });

  it('a call does not overtake a waiting one whose room it would take', async () => {
    const { ledger } = account({ maxTokens: 100 });
    const first = await ledger.hold(exactly(60), never);
    const large = ledger.hold(exactly(90), never);
    const small = ledger.hold(exactly(5), never);
    expect(await stateOf(small)).toBe('waiting');
    first.settle(null);
    expect([await stateOf(large), await stateOf(small)]).toEqual(['started', 'started']);
  });

  it('an abort ends a wait at once, and the next call starts', async () => {
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

  it('a hold returns its room once, however often it is settled', async () => {
    const { ledger } = account({ maxTokens: 100 });
    const first = await ledger.hold(exactly(50), never);
    await ledger.hold(exactly(50), never);
    first.settle(null);
    first.settle(null);
    await ledger.hold(exactly(50), never);
    expect(await stateOf(ledger.hold(exactly(50), never))).toBe('waiting');
  });

  it('one call runs alone until its size is known, then the others run side by side', async () => {
    const { ledger, spend } = account({ maxTokens: 1000 });
    const estimate = (): CallEstimate =>
      estimateCall({
        requestBytes: 10,
        textBytes: 10,
        tokensPerByte: null,
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

  it('a ledger knows the largest output of a resumed run', () => {
    const root: Ledger = createLedger({
      budget: Budget.of({ maxTokens: 9 }),
      spending: () => spentWith({}),
      largestOutput: 7,
    });
    expect(account({}, root).ledger.largestOutput()).toBe(7);
  });

  it('a ledger remembers the largest output, not the last', async () => {
    const { ledger } = account({ maxTokens: 1000 });
    for (const outputTokens of [5, 20, 7]) {
      (await ledger.hold(exactly(20), never)).settle(usageOf({ outputTokens }));
    }
    expect(ledger.largestOutput()).toBe(20);
  });

  it('a ledger holds money in millionths, and one call alone while no price is known', async () => {
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

  it('a call waits for one whose price is unknown', async () => {
    const { ledger } = account({ maxCost: 1 });
    await ledger.hold({ tokens: 1, cost: null }, never);
    expect(await stateOf(ledger.hold({ tokens: 1, cost: 0.000001 }, never))).toBe('waiting');
  });

  it('a call waits for one whose size is unknown', async () => {
    const { ledger } = account({ maxTokens: 100 });
    const unknown = await ledger.hold({ tokens: null, cost: null }, never);
    const small = ledger.hold(exactly(1), never);
    expect(await stateOf(small)).toBe('waiting');
    unknown.settle(null);
    expect(await stateOf(small)).toBe('started');
  });

  it('a rounding error of a product costs no millionth', async () => {
    const { ledger } = account({ maxCost: 0.002 });
    await ledger.hold({ tokens: 1, cost: 0.001962 }, never);
    expect(await stateOf(ledger.hold({ tokens: 1, cost: 0.000038 }, never))).toBe('started');
  });

  it('a call that needs more than is left is refused at once with the remaining amount', async () => {
    const { ledger, spend } = account({ maxTokens: 1000 });
    const needs = (tokens: number): CallEstimate => ({
      tokens: 5000,
      cost: null,
      least: { tokens, cost: 0 },
    });
    spend({ tokens: 400 });
    const first = await ledger.hold(needs(600), never);
    const error = await ledger.hold(needs(601), never).catch((thrown: unknown) => thrown);
    expect(isAgentStopError(error) && error.signal).toMatchObject({
      reason: 'token-limit-reached',
      source: 'budget',
      context: { refused: true, atLeast: 601, left: 600, totalTokens: 400, maxTokens: 1000 },
    });
    first.settle(null);
    const money = account({ maxCost: 0.5 });
    const dear: CallEstimate = { tokens: null, cost: null, least: { tokens: 1, cost: 0.500001 } };
    await expect(money.ledger.hold(dear, never)).rejects.toMatchObject({
      signal: { reason: 'cost-limit-reached', context: { refused: true } },
    });
  });

  it('a waiting call is refused as soon as too little is left for it', async () => {
    const { ledger, spend } = account({ maxTokens: 1000 });
    const first = await ledger.hold(exactly(900), never);
    const second = ledger.hold({ tokens: 900, cost: null, least: { tokens: 300, cost: 0 } }, never);
    expect(await stateOf(second)).toBe('waiting');
    spend({ tokens: 800 });
    first.settle(usageOf({ inputTokens: 800 }));
    await expect(second).rejects.toMatchObject({ signal: { context: { refused: true } } });
  });

  it('a session limit names itself as the source, and counts earlier spending', async () => {
    const spent = { tokens: 90, cost: 0, hasUnknownCost: false };
    const ledger = createLedger({
      budget: Budget.of({}),
      spending: () => spentWith({}),
      sessionBudget: { tokens: 100, cost: null },
      sessionSpent: () => spent,
    });
    expect(ledger.isLimited).toBe(true);
    await expect(
      ledger.hold({ tokens: 1, cost: null, least: { tokens: 11, cost: 0 } }, never),
    ).rejects.toMatchObject({ signal: { reason: 'token-limit-reached', source: 'session-budget' } });
    spent.tokens = 100;
    expect(ledger.stopSignals(0)).toMatchObject(
      [{ reason: 'token-limit-reached', source: 'session-budget', message: /100\/100 in this session/ }].map(
        ({ message, ...signal }) => ({ ...signal, message: expect.stringMatching(message) }),
      ),
    );
  });

  it('steps of the whole tree are counted in every ledger above', () => {
    const root = createLedger({ budget: Budget.of({}), spending: () => spentWith({}), maxTotalSteps: 3 });
    const child = createLedger({ budget: Budget.of({}), spending: () => spentWith({}), parent: root });
    root.countStep(1);
    child.countStep(1);
    child.countStep(1);
    child.countStep(-1);
    expect(child.stopSignals(5)).toEqual([]);
    child.countStep(1);
    const signal = { reason: 'steps-limit-reached', source: 'ledger', at: 5 };
    expect(root.stopSignals(5)).toMatchObject([signal]);
    expect(child.stopSignals(5)).toMatchObject([{ ...signal, context: { totalSteps: 3, maxTotalSteps: 3 } }]);
  });

  it('a ledger without a limit of tokens or money costs nothing', async () => {
    const { ledger } = account({ maxSteps: 1, maxSeconds: 1, deadline: 1 });
    const unasked = (): CallEstimate => expect.unreachable('no estimate is needed');
    expect(ledger.isLimited).toBe(false);
    expect(ledger.hold(unasked, never)).toBe(account({}, ledger).ledger.hold(unasked, never));
    (await ledger.hold(unasked, never)).settle(null);
  });
});

describe('the estimate of a call', () => {
  const price = { input: 3, output: 15, cacheWrite: 4 };
  it('the estimate of a call is never below its cost', () => {
    const call = {
      requestBytes: 1000,
      textBytes: 1000,
      tokensPerByte: null,
      maxOutputTokens: 100,
      largestOutput: 7,
      price,
    };
    expect(estimateCall(call)).toMatchObject({ tokens: 1100, cost: 0.0055 });
    expect(estimateCall({ ...call, maxOutputTokens: null })).toMatchObject({ tokens: 1007, cost: 0.004105 });
  });

  it('the lower estimate of a call is an eighth of its text, or half of the measured ratio', () => {
    const call = {
      requestBytes: 90_000,
      textBytes: 9024,
      tokensPerByte: null,
      maxOutputTokens: null,
      largestOutput: null,
      price,
    };
    expect(estimateCall(call).least).toEqual({ tokens: 1000, cost: 0.003 });
    expect(estimateCall({ ...call, tokensPerByte: 0.5 }).least).toEqual({ tokens: 2000, cost: 0.006 });
    const cached = { ...price, cacheRead: 0.3 };
    expect(estimateCall({ ...call, price: cached }).least).toEqual({ tokens: 1000, cost: 0.0003 });
    expect(estimateCall({ ...call, textBytes: 1024, price: null }).least).toEqual({ tokens: 0, cost: 0 });
  });

  it('the cost of a call lies between its estimates, whatever it reads and writes and whichever row it reaches', () => {
    const amount = fc.nat(3000).map((cents) => cents / 100);
    const amounts = {
      input: amount,
      output: amount,
      cacheRead: amount,
      cacheWrite: amount,
      cacheWriteHour: amount,
    };
    const row = fc.record(amounts, { requiredKeys: ['input', 'output'] });
    const prices = fc
      .tuple(row, row, fc.option(fc.nat(20_000)))
      .map(([base, above, from]): ModelPrice =>
        from === null ? base : { ...base, above: { ...above, tokens: from } },
      );
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const property = fc.property(
      prices,
      fc.nat(40_000),
      fc.tuple(share, share, share, share, share),
      (price, bytes, [size, read, write, hour, out]) => {
        const maxOutputTokens = 500;
        const estimate = estimateCall({
          requestBytes: bytes,
          textBytes: bytes,
          tokensPerByte: null,
          maxOutputTokens,
          largestOutput: null,
          price,
        });
        const least = estimate.least?.tokens ?? 0;
        const inputTokens = least + Math.floor(size * (bytes - least));
        const cacheReadTokens = Math.floor(read * inputTokens);
        const cacheWriteTokens = Math.floor(write * (inputTokens - cacheReadTokens));
        const cacheWriteHourTokens = Math.floor(hour * cacheWriteTokens);
        const outputTokens = Math.floor(out * maxOutputTokens);
        const used = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens };
        const { cost } = withPrice(usageOf(used), price);
        expect(cost).toBeLessThanOrEqual((estimate.cost ?? NaN) + 1e-9);
        expect((estimate.least?.cost ?? NaN) - 1e-6).toBeLessThanOrEqual(cost ?? NaN);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('a text cannot be measured without TextEncoder, as in jest with jsdom, and the error says what to load', () => {
    vi.stubGlobal('TextEncoder', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(() => textBytes('a')).toThrow(
      'This runtime has no TextEncoder. In jest with jsdom, load the setup file of guide/testing; in React Native, load a polyfill before Vitrine.',
    );
  });

  it('the estimate of a call is unknown without an output limit and an earlier answer', () => {
    const call = {
      requestBytes: 1000,
      textBytes: 1000,
      tokensPerByte: null,
      maxOutputTokens: null,
      largestOutput: null,
      price,
    };
    expect(estimateCall(call)).toMatchObject({ tokens: null, cost: null });
    expect(estimateCall({ ...call, maxOutputTokens: 5, price: null })).toMatchObject({
      tokens: 1005,
      cost: null,
    });
  });
});
