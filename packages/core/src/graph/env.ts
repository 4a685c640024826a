import * as errors from '../kit/definition-faults.ts';
import { isUuid } from '../kit/check-id.ts';
import { memoize } from '../kit/memoize.ts';
import { uuidV7 } from '../kit/uuid-v7.ts';

/** Unix epoch milliseconds, an integer. */
export type Timestamp = number;

/** Everything outside the program that a run needs: with an `Env` that drives them a run is deterministic. */
export type Env = {
  /** Wall clock, for time stamps. */
  readonly now: () => Timestamp;
  /** Clock that never goes back, in milliseconds, for durations. */
  readonly monotonic: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  readonly schedule: (ms: number, callback: () => void) => () => void;
};

/** The real environment: `Date.now`, `performance.now`, UUID v7 (whose order is the order of creation) and timers. */
export const systemEnv: Env = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  id: uuidV7,
  random: () => Math.random(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The same environment, held to its contract: times are rounded, ids checked. @throws AgentError `env-invalid` on use. */
export const checkedEnv: (env: Env) => Env = memoize((env) =>
  env === systemEnv
    ? env
    : {
        ...env,
        now: () => Math.round(env.now()),
        id() {
          const id = env.id();
          if (isUuid(id)) return id;
          throw errors.envInvalid({ id: String(id) });
        },
      },
);
