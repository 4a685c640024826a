import fc from 'fast-check';

const says = ['talk', 'pay', 'look', 'kid'] as const;
const others = [
  'answer',
  'answer',
  'stop',
  'edit',
  'regenerate',
  'rename',
  'rate',
  'choose',
  'draft',
  'update',
  'kill',
  'kill',
  'leave',
] as const;
/** The actions of a person who debugs. */
const debugging = ['pause', 'pause', 'break', 'unbreak', 'step', 'release', 'release', 'change'] as const;
/** An action in one of the tabs after a delay. */
export type TabAct = {
  readonly tab: number;
  readonly waitMs: number;
  readonly act: (typeof says)[number] | (typeof others)[number] | (typeof debugging)[number];
};

/** The actions in the tabs of one session, and the delays of their messages and of the store. */
export type TabSchedule = {
  readonly tabs: number;
  readonly acts: readonly TabAct[];
  readonly delays: readonly number[];
  readonly storeMs: readonly number[];
  readonly resume: boolean;
};

const scheduleOf = (acts: fc.Arbitrary<TabAct['act']>): fc.Arbitrary<TabSchedule> =>
  fc.record({
    tabs: fc.constantFrom(2, 2, 3),
    acts: fc.array(
      fc.record({ tab: fc.nat(2), waitMs: fc.constantFrom(0, 0, 1, 5, 30, 60, 120), act: acts }),
      { minLength: 1, maxLength: 12 },
    ),
    delays: fc.array(fc.constantFrom(0, 1, 1, 20, 90), { minLength: 1, maxLength: 9 }),
    storeMs: fc.array(fc.constantFrom(0, 0, 5, 40), { minLength: 1, maxLength: 5 }),
    resume: fc.boolean(),
  });

export const tabSchedule: fc.Arbitrary<TabSchedule> = scheduleOf(
  fc.constantFrom(...says, ...says, ...others),
);

/** Schedules in which a person sets breakpoints, steps, edits and releases besides everything else. */
export const debugSchedule: fc.Arbitrary<TabSchedule> = scheduleOf(
  fc.constantFrom(...says, ...debugging, ...debugging, 'answer', 'stop', 'kill', 'kill', 'leave'),
);
