import fc from 'fast-check';
import { describe, it } from 'vitest';
import { assertKept } from './fault-law.fixture.ts';
import { type Schedule, schedule } from './fault-schedule.fixture.ts';
import { play } from './fault-simulation.fixture.ts';

/** Two pages of which one once took the other's write for its own. */
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
/** A page whose message waited in memory alone: what it had read again asked for a person first. */
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
/** A page that once stopped asking what had become of a write. */
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
/** A page that showed as its trouble that it could not read again, and no longer why it had to. */
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
/** Two pages of which both once sent what had waited in one of them. */
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
/** A page that read twice, and showed as its trouble that the first of them failed when the second had long come. */
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
const examples: [Schedule][] = [[taken], [behind], [unheard], [unread], [sentTwice], [overtaken]];
const runs = { examples, numRuns: Number(process.env['PROVE_RUNS'] ?? 200), endOnFailure: false };

describe('a session in two pages whose store fails, is slow, loses answers, and is left and killed at any time', () => {
  it(
    'loses no message, has no effect twice, is always readable and never mixes two histories',
    { timeout: 3_000_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(schedule, async (planned) => assertKept(await play(planned))),
        runs,
      );
    },
  );
});
