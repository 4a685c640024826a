import fc from 'fast-check';
import { describe, it } from 'vitest';
import { assertKept } from './fault-law.fixture.ts';
import { type Schedule, schedule } from './fault-schedule.fixture.ts';
import { play } from './fault-simulation.fixture.ts';

/** A regression: one page took the write of another page for its own. */
const taken: Schedule = {
  acts: [
    { page: 1, waitMs: 0, act: 'talk' },
    { page: 0, waitMs: 0, act: 'pay' },
    { page: 0, waitMs: 2500, act: 'talk' },
    { page: 1, waitMs: 0, act: 'kill' },
    { page: 1, waitMs: 0, act: 'talk' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 40 },
      { fault: 'answer-lost', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
    ],
    [{ fault: 'none', delayMs: 0 }],
  ],
  place: 'events',
  torn: 0,
  resume: false,
};
/** A regression: a message that waited only in memory needed a person after the session was read again. */
const behind: Schedule = {
  acts: [
    { page: 0, waitMs: 0, act: 'pay' },
    { page: 1, waitMs: 30, act: 'talk' },
    { page: 0, waitMs: 800, act: 'answer' },
    { page: 0, waitMs: 0, act: 'answer' },
    { page: 0, waitMs: 5, act: 'answer' },
  ],
  fates: [[{ fault: 'none', delayMs: 40 }], [{ fault: 'none', delayMs: 40 }]],
  place: 'events',
  torn: 0,
  resume: true,
};
/** A regression: a page stopped asking whether a write had succeeded. */
const unheard: Schedule = {
  acts: [
    { page: 1, waitMs: 0, act: 'draft' },
    { page: 0, waitMs: 2500, act: 'refuse' },
    { page: 0, waitMs: 0, act: 'refuse' },
  ],
  fates: [
    [{ fault: 'none', delayMs: 0 }],
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'answer-lost', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
    ],
  ],
  place: 'events',
  torn: 0,
  resume: false,
};
/** A regression: a page showed the failed read and hid the conflict that caused the read. */
const unread: Schedule = {
  acts: [
    { page: 1, waitMs: 0, act: 'talk' },
    { page: 0, waitMs: 0, act: 'talk' },
    { page: 0, waitMs: 0, act: 'stop' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
      { fault: 'refused', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
    ],
    [{ fault: 'none', delayMs: 0 }],
  ],
  place: 'events',
  torn: 0,
  resume: false,
};
/** A regression: both pages sent the message that waited in one of them. */
const sentTwice: Schedule = {
  acts: [
    { page: 0, waitMs: 0, act: 'look' },
    { page: 0, waitMs: 0, act: 'look' },
    { page: 0, waitMs: 2500, act: 'refuse' },
    { page: 0, waitMs: 0, act: 'stop' },
    { page: 1, waitMs: 30, act: 'talk' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'refused', delayMs: 0 },
      { fault: 'refused', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
      { fault: 'none', delayMs: 40 },
      { fault: 'none', delayMs: 0 },
    ],
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'refused', delayMs: 0 },
    ],
  ],
  place: 'events',
  torn: 0,
  resume: false,
};
/** A regression: the error of an earlier read replaced the result of a later one. */
const overtaken: Schedule = {
  acts: [
    { page: 0, waitMs: 0, act: 'talk' },
    { page: 0, waitMs: 2500, act: 'talk' },
    { page: 1, waitMs: 0, act: 'talk' },
    { page: 1, waitMs: 0, act: 'stop' },
    { page: 0, waitMs: 0, act: 'refuse' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
      { fault: 'none', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
    ],
    [
      { fault: 'none', delayMs: 40 },
      { fault: 'none', delayMs: 0 },
      { fault: 'refused', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
      { fault: 'refused', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
    ],
  ],
  place: 'keys',
  torn: 0,
  resume: false,
};
/** A regression: the words of a draft that a killed page left got lost. */
const killedDraft: Schedule = {
  acts: [
    { page: 0, waitMs: 0, act: 'talk' },
    { page: 1, waitMs: 2500, act: 'draft' },
    { page: 0, waitMs: 0, act: 'answer' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
      { fault: 'dies-before', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
    ],
    [{ fault: 'none', delayMs: 0 }],
  ],
  place: 'events',
  torn: 0,
  resume: false,
};
/** A regression: two pages that followed a dead page overwrote each other's draft for ever, and took it for its work. */
const drafts: Schedule = {
  acts: [
    { page: 0, waitMs: 0, act: 'pay' },
    { page: 1, waitMs: 30, act: 'draft' },
    { page: 0, waitMs: 30, act: 'answer' },
    { page: 0, waitMs: 30, act: 'leave' },
    { page: 0, waitMs: 5, act: 'answer' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 5 },
      { fault: 'none', delayMs: 5 },
      { fault: 'none', delayMs: 5 },
      { fault: 'dies-after', delayMs: 5 },
    ],
    [{ fault: 'none', delayMs: 40 }],
  ],
  place: 'events',
  torn: 0,
  resume: true,
};
/** A regression: two pages that followed a dead page stored their messages in two orders, each anew, for ever. */
const orders: Schedule = {
  acts: [
    { page: 0, waitMs: 0, act: 'talk' },
    { page: 1, waitMs: 120, act: 'talk' },
    { page: 1, waitMs: 120, act: 'talk' },
    { page: 0, waitMs: 0, act: 'talk' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'dies-after', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
    ],
    [
      { fault: 'none', delayMs: 0 },
      { fault: 'none', delayMs: 0 },
      { fault: 'answer-lost', delayMs: 0 },
      { fault: 'none', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
    ],
  ],
  place: 'events',
  torn: 0,
  resume: false,
};
const examples: [Schedule][] = [
  [orders],
  [drafts],
  [taken],
  [behind],
  [unheard],
  [unread],
  [sentTwice],
  [overtaken],
  [killedDraft],
];
const runs = { examples, numRuns: Number(process.env['PROVE_RUNS'] ?? 60), endOnFailure: false };

describe('a session in two pages with a failing and slow store and pages killed at any time', () => {
  it(
    'a session with faults loses no message, repeats no effect, stays readable and never mixes two histories',
    { timeout: 3_000_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(schedule, async (planned) => assertKept(await play(planned))),
        runs,
      );
    },
  );
});
