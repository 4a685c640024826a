import fc from 'fast-check';
import type { StoreFate } from '@vitrine/testing/internal/faulty-sessions.fixture';

/** The kinds of messages; each makes the model do something else. */
export const kinds = ['talk', 'pay', 'look', 'ask', 'long'] as const;

/** One action in a page, with the delay since the last one. */
export type Act = {
  readonly page: 0 | 1;
  readonly waitMs: number;
  readonly act: (typeof kinds)[number] | 'answer' | 'refuse' | 'stop' | 'kill' | 'leave' | 'draft' | 'flush';
};

/**
 * The storage form of the session: events behind a snapshot, whole writes, or keys that a dying page leaves
 * half written.
 */
export type Place = 'events' | 'keys';

/** Two pages on one session, their actions, and the faults of the store for each. */
export type Schedule = {
  readonly acts: readonly Act[];
  /** The fates of the uses of the store by each page, repeated from the start. */
  readonly fates: readonly (readonly StoreFate[])[];
  readonly place: Place;
  /** The number of keys that a page dying amid a write has written. */
  readonly torn: number;
  readonly resume: boolean;
};

const page = fc.constantFrom(0 as const, 0 as const, 1 as const);
const delayMs = fc.constantFrom(0, 0, 5, 40, 700);
const deadly = fc.constantFrom<StoreFate['fault']>(
  'dies-before',
  'dies-amid',
  'dies-after',
  'done-when-dead',
);
const place = fc.constantFrom<Place>('events', 'events', 'keys');
const torn = fc.nat({ max: 5 });

const fault = fc.oneof(
  { weight: 12, arbitrary: fc.constant<StoreFate['fault']>('none') },
  { weight: 4, arbitrary: fc.constantFrom<StoreFate['fault']>('refused', 'answer-lost') },
  { weight: 1, arbitrary: deadly },
);
const fate = fc.record({ fault, delayMs });

/** Any actions in any order. */
const anyhow: fc.Arbitrary<Schedule> = fc.record({
  acts: fc.array(
    fc.record<Act>({
      page,
      waitMs: fc.constantFrom(0, 0, 1, 30, 120, 2500),
      act: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...kinds) },
        { weight: 3, arbitrary: fc.constant('answer' as const) },
        {
          weight: 6,
          arbitrary: fc.constantFrom<Act['act']>('refuse', 'stop', 'kill', 'leave', 'draft', 'flush'),
        },
      ),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  fates: fc.tuple(
    fc.array(fate, { minLength: 1, maxLength: 12 }),
    fc.array(fate, { minLength: 1, maxLength: 12 }),
  ),
  place,
  torn,
  resume: fc.boolean(),
});

const slow = fc.constantFrom(5, 40, 700);
const wait = fc.constantFrom(0, 30, 120, 800);
const when = (waitMs: number, act: Act['act'], at: 0 | 1 = 0): Act => ({ page: at, waitMs, act });

/**
 * One page pays, then dies in the write that its tools or its answer wait for, or is killed, stopped or left
 * meanwhile.
 * It is opened again and continues. The other page may be at work meanwhile.
 */
const aimed: fc.Arbitrary<Schedule> = fc
  .record({
    said: fc.constantFrom('pay' as const, 'look' as const, 'ask' as const),
    answers: fc.array(wait, { minLength: 1, maxLength: 3 }),
    ending: fc.constantFrom<Act['act'] | null>(null, null, 'kill', 'stop', 'leave'),
    endsAfter: fc.constantFrom(1, 30, 60, 120, 400),
    other: fc.option(fc.constantFrom<Act['act']>('talk', 'answer', 'pay', 'draft'), { nil: null }),
    before: fc.nat({ max: 11 }),
    death: fc.record({ fault: fc.oneof(deadly, fc.constant('none' as const)), delayMs: slow }),
    delay: slow,
    place,
    torn,
  })
  .map(({ said, answers, ending, endsAfter, other, before, death, delay, ...rest }) => ({
    ...rest,
    resume: true,
    acts: [
      when(0, said),
      ...(other === null ? [] : [when(30, other, 1)]),
      ...answers.map((waitMs) => when(waitMs, 'answer')),
      ...(ending === null ? [] : [when(endsAfter, ending)]),
      when(delay, 'answer'),
    ],
    fates: [
      [...Array.from({ length: before }, () => ({ fault: 'none' as const, delayMs: delay })), death],
      [{ fault: 'none' as const, delayMs: delay === 700 ? 5 : 40 }],
    ],
  }));

export const schedule: fc.Arbitrary<Schedule> = fc.oneof(anyhow, aimed);
