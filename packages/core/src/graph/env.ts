import { v7 } from 'uuid';

/** Unix epoch milliseconds, an integer. */
export type Timestamp = number;

/** Everything outside the program that a transition needs: with a fixed `Env` a run is deterministic. */
export type Env = {
  /** Wall clock, for time stamps. */
  readonly now: () => Timestamp;
  /** Clock that never goes back, in milliseconds, for durations. */
  readonly monotonic: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
};

/** The real environment: `Date.now`, `performance.now` and UUID v7, whose order is the order of creation. */
export const systemEnv: Env = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  id: () => v7(),
};
