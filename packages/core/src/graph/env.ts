import * as errors from '../kit/errors.ts';
import { isUuid, uuidV7 } from '../kit/ids.ts';
import { memoize } from '../kit/memoize.ts';

/** Unix epoch milliseconds, an integer. */
export type Timestamp = number;

/** The outside world of a run: with a deterministic `Env` a run is deterministic. */
export type Env = {
  /** Wall clock, for time stamps. */
  readonly now: () => Timestamp;
  /** Monotonic clock in milliseconds, for durations. */
  readonly monotonic: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
  /** A random number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Calls `callback` after `ms` milliseconds, unless the returned function is called before. */
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

/** The same environment with rounded times and checked ids. @throws AgentError `env-invalid` on use. */
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
