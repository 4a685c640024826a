import { type InferenceClient, type InferenceEvent, isAgentError, Usage } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { request } from '../../../tests/upstream/plain-request.ts';
import { type Limiter, memoryLimiter } from './guard/limiter.ts';
import { guardedCalls } from './guarded-calls.ts';
import { delta, puppet } from './stream/served.fixture.ts';

const { signal } = new AbortController();
const whenSettled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** The points that are taken from the quota of Anna. */
async function takenFrom(limiter: Limiter): Promise<number> {
  const { consumedPoints = 0 } = (await limiter.penalty('cost:anna', 0)) as { consumedPoints?: number };
  return consumedPoints;
}

/** The events of a call of Anna to a model. */
function ask(
  { client }: ReturnType<typeof guardedCalls>,
  model: InferenceClient,
  maxOutputTokens: number | null = null,
): AsyncIterator<InferenceEvent> {
  const payer = () => ({ principal: 'anna', price: null });
  const settings = maxOutputTokens === null ? {} : { maxOutputTokens };
  const guarded = client(model, { payer, onError: () => undefined });
  return guarded.stream({ ...request, settings }, { signal })[Symbol.asyncIterator]();
}

/** The most that a call may cost. */
function mostOf(maxOutputTokens: number): number {
  return JSON.stringify({ ...request, settings: { maxOutputTokens } }).length + maxOutputTokens;
}

const unreachable: InferenceClient = {
  // oxlint-disable-next-line require-yield -- it never answers
  async *stream() {
    throw Object.assign(new Error('It cannot be reached.'), { code: 'ECONNREFUSED' });
  },
};
const busy: InferenceClient = {
  async *stream() {
    yield {
      type: 'error',
      code: 'upstream-rate-limited',
      message: 'Later.',
      retryable: true,
      retryAfterMs: null,
    };
  },
};

describe('the model calls of a server', () => {
  it('a call is made when the quota has room for the most that it may cost, and costs what it used', async () => {
    const begin = fc.record({
      maxOutputTokens: fc.integer({ min: 1, max: 800 }),
      model: fc.constantFrom('answers', 'answers', 'answers', 'is busy', 'is away'),
    });
    const end = fc.record({
      call: fc.nat(9),
      how: fc.constantFrom('reported', 'unreported', 'left'),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const steps = fc.array(fc.oneof(begin, end), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 500, max: 4000 }), steps, async (points, plan) => {
        const limiter = memoryLimiter(points, 3600);
        const calls = guardedCalls({ cost: limiter });
        const open: { most: number; model: ReturnType<typeof puppet>; events: ReturnType<typeof ask> }[] = [];
        const held = (): number => open.reduce((sum, { most }) => sum + most, 0);
        let spent = 0;
        for (const step of plan) {
          if ('model' in step) {
            const most = mostOf(step.maxOutputTokens);
            const hasRoom = most <= points - spent - held();
            const model = puppet();
            model.say(delta('a'));
            const client = { answers: model, 'is busy': busy, 'is away': unreachable }[step.model] ?? model;
            const events = ask(calls, client, step.maxOutputTokens);
            const first: unknown = await events.next().catch((thrown: unknown) => thrown);
            if (!hasRoom) expect(first).toMatchObject({ value: { type: 'error', code: 'quota-exceeded' } });
            else if (client === model) {
              expect(first).toMatchObject({ value: { type: 'text-delta' } });
              open.push({ most, model, events });
            } else await events.return?.();
          } else {
            const [ended] = open.splice(step.call % Math.max(1, open.length), 1);
            if (ended === undefined) continue;
            const outputTokens = Math.max(1, Math.floor(ended.most * step.part));
            const usage = step.how === 'reported' ? Usage.of({ outputTokens }) : Usage.none();
            ended.model.say({ type: 'finish', finishReason: 'stop', usage });
            if (step.how !== 'left') await ended.events.next();
            await ended.events.return?.();
            spent += step.how === 'reported' ? outputTokens : ended.most;
          }
          await whenSettled();
          expect(await takenFrom(limiter)).toBe(spent + held());
          expect(spent + held()).toBeLessThanOrEqual(points);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('an answer has the limit that was reserved, and its price is that of the principal', async () => {
    const asked: unknown[] = [];
    const model = scriptedInference([
      ({ settings }) => (
        asked.push(settings),
        { text: 'Yes', usage: { inputTokens: 100, outputTokens: 50 } }
      ),
    ]);
    const limiter = memoryLimiter(1_000_000, 3600);
    const costs: unknown[] = [];
    const { client } = guardedCalls(
      { cost: limiter, costOf: ({ cost }) => (costs.push(cost), (cost ?? 0) * 1000) },
      { maxOutputTokens: 200 },
    );
    const guarded = client(model, {
      payer: async (id) => ({ principal: `of ${id}`, price: { input: 1000, output: 2000 } }),
      onError: () => undefined,
    });
    for (const settings of [{}, { maxOutputTokens: 10 }, { maxOutputTokens: 5000 }])
      for await (const event of guarded.stream({ ...request, model: 'm', settings }, { signal }))
        expect(event.type).not.toBe('error');
    expect(asked).toEqual([200, 10, 200].map((maxOutputTokens) => ({ maxOutputTokens })));
    await whenSettled();
    expect(costs).toContain(0.2);
  });

  it('a quota that is free again within a minute is tried again by the agent, and the person hears of a longer one', async () => {
    const model = scriptedInference([{ text: 'Yes', usage: { outputTokens: 900 } }]);
    for (const [seconds, retryable] of [
      [60, true],
      [3600, false],
    ] as const) {
      const calls = guardedCalls({ cost: { points: 1000, seconds } });
      for (const events = ask(calls, model, 100); (await events.next()).done !== true;);
      await whenSettled();
      const { value } = (await ask(calls, model, 100).next()) as { value: InferenceEvent };
      expect(value).toMatchObject({ code: 'quota-exceeded', retryable });
      expect(value).toHaveProperty('message', expect.stringMatching(/quota of tokens. Try again in \d+ s/));
    }
  });

  it('usage without a reservation counts too, also beyond the quota', async () => {
    const limiter = memoryLimiter(1000, 3600);
    const calls = guardedCalls({ cost: limiter });
    calls.charge('anna', Usage.of({ inputTokens: 600, outputTokens: 500 }));
    await whenSettled();
    expect(await takenFrom(limiter)).toBe(1100);
    const { value } = (await ask(calls, unreachable, 1).next()) as { value: InferenceEvent };
    expect(value).toMatchObject({ type: 'error', code: 'quota-exceeded' });
  });

  it('a call whose agent has stopped while the quota was asked is not made and costs nothing', async () => {
    const limiter = memoryLimiter(50_000, 3600);
    const stopping = new AbortController();
    const model = puppet();
    const guarded = guardedCalls({ cost: limiter }).client(model, {
      payer: async () => (stopping.abort(), { principal: 'anna', price: null }),
      onError: () => undefined,
    });
    for await (const event of guarded.stream(request, { signal: stopping.signal }))
      expect(event).toMatchObject({ type: 'error', code: 'cancelled' });
    await whenSettled();
    expect([model.calls(), await takenFrom(limiter)]).toEqual([0, 0]);
  });

  it('the original error of a call is told, with the call and without a quota too', async () => {
    const told: unknown[] = [];
    const failing: InferenceClient = {
      async *stream(_request, { onError }) {
        onError?.(new Error('The key is wrong.'));
        yield {
          type: 'error',
          code: 'upstream-unauthorized',
          message: 'No.',
          retryable: false,
          retryAfterMs: null,
        };
      },
    };
    for (const quotas of [{}, { cost: { points: 100_000, seconds: 60 } }]) {
      const guarded = guardedCalls(quotas).client(failing, {
        payer: () => ({ principal: 'anna', price: null }),
        onError: (error, { inferenceId }) => told.push([inferenceId, String(error)]),
      });
      for await (const event of guarded.stream(request, { signal, inferenceId: 'i1' }))
        expect(event.type).toBe('error');
    }
    const one = ['i1', 'Error: The key is wrong.'];
    expect(told).toEqual([one, one]);
  });

  it('quotas and limits that are no numbers are refused in sentences', () => {
    for (const make of [
      () => guardedCalls({ cost: { points: 0, seconds: 60 } }),
      () => guardedCalls({}, { maxOutputTokens: -1 }),
    ]) {
      let thrown: unknown;
      try {
        make();
      } catch (error) {
        thrown = error;
      }
      expect(isAgentError(thrown, 'agent-invalid')).toBe(true);
    }
  });
});
