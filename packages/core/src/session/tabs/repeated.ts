import type { Env } from '../../graph/env.ts';

/** An action that is repeated with doubling pauses, because a message may be lost. */
export type Repeated = {
  /** Runs the action now and starts the repeats. */
  readonly now: () => void;
  /** Schedules the next repeat after the first pause. */
  readonly restart: () => void;
  /** Resets the pause to the first one; a scheduled repeat stays. */
  readonly reset: () => void;
  /** True when the action ran since the pause was last reset. */
  readonly isWaiting: () => boolean;
  readonly stop: () => void;
};

/** The first and the longest pause, in milliseconds. */
export type Pauses = { readonly first: number; readonly longest: number };

export function createRepeated(env: Env, { first, longest }: Pauses, action: () => void): Repeated {
  let ms = first;
  let isStopped = false;
  let cancel = (): void => undefined;

  function schedule(): void {
    cancel();
    if (!isStopped) cancel = env.schedule(ms, now);
  }

  function now(): void {
    action();
    ms = Math.min(longest, ms * 2);
    schedule();
  }

  return {
    now,
    restart() {
      ms = first;
      schedule();
    },
    reset: () => void (ms = first),
    isWaiting: () => ms > first,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
