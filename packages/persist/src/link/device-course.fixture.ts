import fc from 'fast-check';
import type { StoreFate } from '@vitrine/testing/internal/faulty-sessions.fixture';

const acts = [
  'talk',
  'pay',
  'look',
  'kid',
  'answer',
  'refuse',
  'stop',
  'edit',
  'regenerate',
  'retry',
  'resume',
  'draft',
  'title',
  'rate',
  'choose',
  'flush',
] as const;
const ends = ['kill', 'kill', 'leave', 'reset'] as const;

/** A command on a device, with the delay since the one before. */
export type DeviceAct = {
  readonly device: number;
  readonly waitMs: number;
  readonly act: (typeof acts)[number] | (typeof ends)[number];
};

/** Commands on two or three devices of one session, with all faults. */
export type DeviceCourse = {
  readonly devices: number;
  readonly acts: readonly DeviceAct[];
  /** The percentage of messages between devices that are lost. */
  readonly lossPercent: number;
  readonly seed: number;
  /** The outcomes of uses of the store, repeated from the start. */
  readonly fates: readonly StoreFate[];
  /**
   * The numbers of the points (uses of the store, messages, parts of an answer) at which a device crashes.
   */
  readonly crashes: readonly number[];
  readonly resume: boolean;
};

const fate: fc.Arbitrary<StoreFate> = fc.record({
  fault: fc.constantFrom(
    ...(Array.from({ length: 10 }, () => 'none') as 'none'[]),
    'refused' as const,
    'answer-lost' as const,
  ),
  delayMs: fc.constantFrom(0, 0, 5, 40),
});

const quietActs = [
  'talk',
  'look',
  'kid',
  'resume',
  'resume',
  'draft',
  'title',
  'rate',
  'choose',
  'flush',
] as const;

/** A course on which each step of an answer has one model call: no device fails, and nobody asks for a step again. */
export const quietCourse: fc.Arbitrary<DeviceCourse> = fc.record({
  devices: fc.constantFrom(2, 2, 3),
  acts: fc.array(
    fc.record({
      device: fc.nat(2),
      waitMs: fc.constantFrom(0, 1, 5, 30, 60, 120, 900),
      act: fc.constantFrom(...quietActs),
    }),
    { minLength: 2, maxLength: 10 },
  ),
  lossPercent: fc.constant(0),
  seed: fc.constant(0),
  fates: fc.array(fc.record({ fault: fc.constant('none' as const), delayMs: fc.constantFrom(0, 0, 5, 40) }), {
    minLength: 1,
    maxLength: 8,
  }),
  crashes: fc.constant([]),
  resume: fc.boolean(),
});

/** A course on which devices that have read the session send at about the same time, and none fails. */
export const sendingCourse: fc.Arbitrary<DeviceCourse> = fc
  .tuple(
    quietCourse,
    fc.array(fc.record({ device: fc.nat(2), waitMs: fc.nat(30) }), { minLength: 2, maxLength: 5 }),
  )
  .map(([quiet, sent]) => ({
    ...quiet,
    acts: [
      { device: 0, waitMs: 900, act: 'flush' },
      ...sent.map((each) => ({ ...each, act: 'talk' as const })),
    ],
  }));

export const deviceCourse: fc.Arbitrary<DeviceCourse> = fc.record({
  devices: fc.constantFrom(2, 2, 3),
  acts: fc.array(
    fc.record({
      device: fc.nat(2),
      waitMs: fc.constantFrom(0, 0, 1, 5, 30, 60, 120, 900),
      act: fc.constantFrom(
        ...acts,
        'talk' as const,
        'talk' as const,
        'pay' as const,
        'answer' as const,
        ...ends,
      ),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  lossPercent: fc.constantFrom(0, 0, 10, 50, 90, 100),
  seed: fc.nat(1000),
  fates: fc.array(fate, { minLength: 1, maxLength: 8 }),
  crashes: fc.oneof(fc.constant([]), fc.array(fc.integer({ min: 1, max: 160 }), { maxLength: 2 })),
  resume: fc.boolean(),
});
