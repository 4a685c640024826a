import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { GoldenPlan } from '../run/golden/golden-plan.fixture.ts';
import { goldenPlans, hashesOf, startsOf } from '../run/golden/golden-run.fixture.ts';
import type { Feature, Slots } from '../run/slots.ts';
import { approvals, questions } from './approvals.ts';
import { breakpoints } from './breakpoints.ts';
import { budgets, prices } from './budgets.ts';
import { effects } from './effects.ts';
import { features } from './features.ts';
import { files } from './files.ts';
import { hooks } from './hooks.ts';
import { interruptedCalls, lostAnswers } from './interrupted-calls.ts';
import { retries } from './retries.ts';
import { steering } from './steering.ts';
import { storedStart } from './stored-start.ts';
import { structuredOutput } from './structured-output.ts';
import { subagents } from './subagents.ts';
import { wireIds } from './wire-messages.ts';

const known = JSON.parse(
  readFileSync(new URL('../run/golden/golden-journals.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>;

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));

/** True when a random agent has another record with other features of the loop. */
async function isNoticed(seed: number, other: readonly Feature[]): Promise<boolean> {
  return (await hashesOf(goldenPlans[seed - 1]!, seed, other)) !== known[seed];
}

/** Each feature with a random agent that notices its absence, or the test that does. */
const drops: readonly (readonly [string, Feature, number | string])[] = [
  ['breakpoints', breakpoints, 30],
  ['approvals', approvals, 15],
  ['hooks', hooks, 2],
  ['files', files, 4],
  ['wireIds', wireIds, 3],
  ['prices', prices, 4],
  ['interruptedCalls', interruptedCalls, 5],
  ['retries', retries, 9],
  ['budgets', budgets, 5],
  [
    'lostAnswers',
    lostAnswers,
    'resume.test.ts: a client that cannot continue the answer any more is charged',
  ],
  ['storedStart', storedStart, 3],
  ['subagents', subagents, 13],
  ['questions', questions, 6],
  ['effects', effects, 6],
  ['structuredOutput', structuredOutput, 11],
  ['steering', steering, 8],
];

/** Neighbours with a random agent that notices when they change places, or the reason for which none does. */
const swaps: readonly (readonly [Feature, Feature, number | string])[] = [
  [breakpoints, approvals, 'They share no slot.'],
  [approvals, hooks, 107],
  [hooks, files, 4],
  [files, wireIds, 'One changes bytes of files, the other ids of calls.'],
  [wireIds, prices, 'One changes messages, the other the price.'],
  [prices, interruptedCalls, 14],
  [interruptedCalls, retries, 116],
  [retries, budgets, 13],
  [budgets, lostAnswers, 'A charge behind the room lets a waiting call begin too early; no plan has both.'],
  [lostAnswers, storedStart, 'They share no slot.'],
  [storedStart, subagents, 'They share no slot.'],
  [subagents, questions, 'What hands a call over asks by its answer, and throws no question.'],
  [questions, effects, 6],
  [effects, structuredOutput, 'They share no slot.'],
  [structuredOutput, steering, 93],
];

describe('the features of the loop', () => {
  it('the features are listed here, each with its neighbour', () => {
    expect(drops.map(([, feature]) => feature)).toEqual(features);
    expect(swaps.map(([first]) => first)).toEqual(features.slice(0, -1));
    expect(swaps.map(([, second]) => second)).toEqual(features.slice(1));
  });

  it.each(
    drops.flatMap(([name, feature, seed]) => (typeof seed === 'number' ? [{ name, feature, seed }] : [])),
  )('a random agent notices that $name is not there', async ({ feature, seed }) => {
    expect(
      await isNoticed(
        seed,
        features.filter((other) => other !== feature),
      ),
    ).toBe(true);
  });

  it.each(
    swaps.flatMap(([first, second, seed]) => (typeof seed === 'number' ? [{ first, second, seed }] : [])),
  )(
    'a random agent ($seed) notices that two neighbours have changed places',
    async ({ first, second, seed }) => {
      const swapped = features.map((feature) =>
        feature === first ? second : feature === second ? first : feature,
      );
      expect(await isNoticed(seed, swapped)).toBe(true);
    },
  );
});

/** Waits for a random number of turns of the queue of promises. */
type Pause = () => Promise<void>;

/** The feature with pauses before and behind each of its slots that may wait. */
function paused(feature: Feature, pause: Pause): Feature {
  return (run) => {
    const slots = feature(run);
    const around =
      <Given extends readonly unknown[], Result>(slot: (...given: Given) => Result | Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        await pause();
        try {
          return await slot(...given);
        } finally {
          await pause();
        }
      };
    const {
      at,
      afterStep,
      aroundModel,
      resume,
      validate,
      approve,
      delegate,
      persist,
      aroundExecute,
      settle,
    } = slots;
    return {
      ...slots,
      ...(at && { at: around(at) }),
      ...(afterStep && { afterStep: around(afterStep) }),
      ...(aroundModel && { aroundModel: around(aroundModel) }),
      ...(resume && {
        resume: (batch, call) => {
          const resumed = resume(batch, call);
          return resumed === null ? null : pause().then(() => resumed);
        },
      }),
      ...(validate && { validate: around(validate) }),
      ...(approve && { approve: around(approve) }),
      ...(delegate && { delegate: around(delegate) }),
      ...(persist && { persist: around(persist) }),
      ...(aroundExecute && { aroundExecute: around(aroundExecute) }),
      ...(settle && { settle: around(settle) }),
    } satisfies Slots;
  };
}

/**
 * True for a plan in which nobody acts at an event of some number: between calls side by side, pauses give events other
 * numbers.
 */
function isOrdered({ concurrency, meddles, breakpoint, steerAt }: GoldenPlan): boolean {
  return concurrency === 1 || (!meddles && breakpoint === null && steerAt === null);
}

/** A feature that does nothing in every slot that may wait, so that each of them is passed. */
const idle: Feature = () => ({
  at: async () => undefined,
  afterStep: async () => undefined,
  aroundModel: (call, next) => next(call),
  validate: () => true,
  approve: () => true,
  delegate: () => true,
  persist: () => true,
  aroundExecute: (execution, next) => next(execution),
});

describe('the await fuzzer', () => {
  const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);

  it(
    'the record of a run does not hang on the number of awaits in its slots',
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: goldenPlans.length }),
          fc.integer({ min: 0, max: features.length }),
          fc.infiniteStream(fc.nat({ max: 3 })),
          async (seed, at, turns) => {
            const pause = async (): Promise<void> => {
              for (let left = turns.next().value ?? 0; left > 0; left--) await Promise.resolve();
            };
            const all = [...features.slice(0, at), idle, ...features.slice(at)];
            const fuzzed = all.map((feature) => paused(feature, pause));
            const plan = goldenPlans[seed - 1]!;
            fc.pre(isOrdered(plan));
            const hashes = await hashesOf(plan, seed, fuzzed);
            if (plan.concurrency === 1) expect(hashes).toBe(known[seed]);
            else {
              // The event behind which a process dies is another one when calls run side by side.
              expect(hashes.split(' ')[0]).toBe(known[seed]?.split(' ')[0]);
              expect(await startsOf(plan, seed, fuzzed)).toEqual(await startsOf(plan, seed));
            }
          },
        ),
        { numRuns },
      );
    },
  );
});
