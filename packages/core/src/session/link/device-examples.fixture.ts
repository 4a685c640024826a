import type { DeviceCourse } from './device-course.fixture.ts';
import { assertPaidOnce, type DevicesLaw } from './devices-law.fixture.ts';

/** A schedule on which the law of devices failed once. */
export type DeviceExample = {
  readonly name: string;
  readonly isLinked: boolean;
  /** The store of the schedule; `memory` by default. */
  readonly place?: 'memory' | 'localStorage';
  readonly course: DeviceCourse;
  /** The assertion; `assertDevices` by default. */
  readonly assert?: DevicesLaw['assert'];
};

export const deviceExamples: readonly DeviceExample[] = [
  {
    name: 'a tab takes over, cannot read the session, and reports no reset as failed that the other tab has done',
    isLinked: true,
    course: {
      devices: 2,
      acts: [
        { device: 0, waitMs: 0, act: 'talk' },
        { device: 1, waitMs: 0, act: 'reset' },
        { device: 0, waitMs: 900, act: 'talk' },
        { device: 0, waitMs: 0, act: 'leave' },
      ],
      lossPercent: 100,
      seed: 0,
      fates: [
        { fault: 'none', delayMs: 0 },
        { fault: 'refused', delayMs: 0 },
        { fault: 'none', delayMs: 0 },
      ],
      crashes: [],
      resume: false,
    },
  },
  {
    name: 'a write without an answer makes no fork, although the store does not answer its check either',
    isLinked: true,
    course: {
      devices: 2,
      acts: [
        { device: 0, waitMs: 0, act: 'retry' },
        { device: 1, waitMs: 0, act: 'talk' },
        { device: 0, waitMs: 120, act: 'talk' },
        { device: 0, waitMs: 0, act: 'talk' },
      ],
      lossPercent: 50,
      seed: 430,
      fates: [
        { fault: 'refused', delayMs: 0 },
        { fault: 'none', delayMs: 40 },
        { fault: 'refused', delayMs: 0 },
        { fault: 'answer-lost', delayMs: 0 },
        { fault: 'none', delayMs: 40 },
      ],
      crashes: [],
      resume: false,
    },
  },
  {
    name: 'a tab reports the turn of a branch that was left as stopped, when another tab ran it',
    isLinked: true,
    course: {
      devices: 2,
      acts: [
        { device: 1, waitMs: 0, act: 'kid' },
        { device: 0, waitMs: 900, act: 'talk' },
        { device: 0, waitMs: 0, act: 'edit' },
        { device: 0, waitMs: 0, act: 'leave' },
      ],
      lossPercent: 100,
      seed: 0,
      fates: [{ fault: 'none', delayMs: 0 }],
      crashes: [],
      resume: false,
    },
  },
  {
    name: 'a turn that was stopped names no fork that holds other answers only',
    isLinked: false,
    course: {
      devices: 2,
      acts: [
        { device: 1, waitMs: 0, act: 'talk' },
        { device: 1, waitMs: 0, act: 'regenerate' },
        { device: 0, waitMs: 0, act: 'kid' },
      ],
      lossPercent: 0,
      seed: 0,
      fates: [{ fault: 'none', delayMs: 40 }],
      crashes: [],
      resume: false,
    },
  },
  {
    name: 'a session that is closed during a conflict reports no message as stored that is in no store',
    isLinked: false,
    course: {
      devices: 2,
      acts: [
        { device: 1, waitMs: 0, act: 'talk' },
        { device: 1, waitMs: 0, act: 'talk' },
        { device: 0, waitMs: 60, act: 'talk' },
        { device: 1, waitMs: 120, act: 'talk' },
        { device: 1, waitMs: 0, act: 'leave' },
        { device: 0, waitMs: 0, act: 'talk' },
      ],
      lossPercent: 0,
      seed: 0,
      fates: [
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 40 },
        { fault: 'answer-lost', delayMs: 0 },
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 40 },
        { fault: 'none', delayMs: 0 },
      ],
      crashes: [],
      resume: true,
    },
  },
  {
    name: 'a tab that leads and cannot read the session tells no other tab that its turn is done',
    isLinked: true,
    place: 'localStorage',
    course: {
      devices: 3,
      acts: [
        { device: 1, waitMs: 0, act: 'kill' },
        { device: 0, waitMs: 0, act: 'talk' },
        { device: 1, waitMs: 0, act: 'talk' },
        { device: 1, waitMs: 0, act: 'talk' },
        { device: 0, waitMs: 0, act: 'flush' },
      ],
      lossPercent: 0,
      seed: 0,
      fates: [
        { fault: 'none', delayMs: 0 },
        { fault: 'refused', delayMs: 5 },
        { fault: 'answer-lost', delayMs: 0 },
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 0 },
        { fault: 'answer-lost', delayMs: 0 },
      ],
      crashes: [100],
      resume: false,
    },
  },
  {
    name: 'a tab that takes over stores the ids of the commands that wait in its queue',
    isLinked: true,
    course: {
      devices: 2,
      acts: [
        { device: 1, waitMs: 120, act: 'retry' },
        { device: 2, waitMs: 60, act: 'kid' },
        { device: 1, waitMs: 0, act: 'pay' },
        { device: 2, waitMs: 900, act: 'talk' },
        { device: 1, waitMs: 30, act: 'look' },
        { device: 2, waitMs: 120, act: 'pay' },
        { device: 2, waitMs: 0, act: 'talk' },
        { device: 0, waitMs: 30, act: 'retry' },
      ],
      lossPercent: 0,
      seed: 743,
      fates: [
        { fault: 'none', delayMs: 0 },
        { fault: 'refused', delayMs: 40 },
        { fault: 'none', delayMs: 5 },
        { fault: 'none', delayMs: 40 },
        { fault: 'answer-lost', delayMs: 5 },
      ],
      crashes: [39, 34],
      resume: false,
    },
  },
  {
    name: 'a tab that takes over and cannot read the session writes nothing over it',
    isLinked: true,
    place: 'localStorage',
    course: {
      devices: 2,
      acts: [
        { device: 0, waitMs: 120, act: 'reset' },
        { device: 1, waitMs: 5, act: 'look' },
        { device: 2, waitMs: 120, act: 'talk' },
        { device: 0, waitMs: 0, act: 'pay' },
        { device: 0, waitMs: 0, act: 'look' },
        { device: 0, waitMs: 1, act: 'edit' },
        { device: 1, waitMs: 0, act: 'leave' },
        { device: 1, waitMs: 120, act: 'title' },
        { device: 0, waitMs: 0, act: 'resume' },
        { device: 2, waitMs: 0, act: 'refuse' },
      ],
      lossPercent: 0,
      seed: 997,
      fates: [
        { fault: 'none', delayMs: 5 },
        { fault: 'answer-lost', delayMs: 0 },
        { fault: 'refused', delayMs: 40 },
        { fault: 'none', delayMs: 5 },
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 5 },
      ],
      crashes: [95, 43],
      resume: true,
    },
  },
  {
    name: 'a tab that closes leaves the message of another tab that waits behind a read to the next leader',
    isLinked: true,
    course: {
      devices: 2,
      acts: [
        { device: 0, waitMs: 5, act: 'flush' },
        { device: 0, waitMs: 0, act: 'talk' },
        { device: 1, waitMs: 1, act: 'talk' },
        { device: 1, waitMs: 60, act: 'draft' },
        { device: 0, waitMs: 60, act: 'resume' },
        { device: 0, waitMs: 0, act: 'leave' },
      ],
      lossPercent: 10,
      seed: 432,
      fates: [
        { fault: 'none', delayMs: 40 },
        { fault: 'answer-lost', delayMs: 5 },
        { fault: 'none', delayMs: 0 },
        { fault: 'refused', delayMs: 40 },
      ],
      crashes: [],
      resume: true,
    },
  },
  {
    name: 'a device whose message met too many conflicts does not resume the run of another device',
    isLinked: false,
    place: 'localStorage',
    assert: assertPaidOnce,
    course: {
      devices: 3,
      acts: [
        { device: 0, waitMs: 900, act: 'resume' },
        { device: 2, waitMs: 0, act: 'draft' },
        { device: 0, waitMs: 0, act: 'look' },
        { device: 0, waitMs: 120, act: 'title' },
        { device: 1, waitMs: 0, act: 'flush' },
        { device: 1, waitMs: 30, act: 'kid' },
        { device: 2, waitMs: 5, act: 'look' },
        { device: 1, waitMs: 120, act: 'resume' },
        { device: 1, waitMs: 0, act: 'look' },
        { device: 2, waitMs: 30, act: 'look' },
      ],
      lossPercent: 0,
      seed: 0,
      fates: [
        { fault: 'none', delayMs: 0 },
        { fault: 'none', delayMs: 40 },
        { fault: 'none', delayMs: 0 },
      ],
      crashes: [],
      resume: true,
    },
  },
];
