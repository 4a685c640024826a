/** An action that is repeated with doubling pauses. */
export type Repeated = ReturnType<typeof createRepeated>;

/** The first and the longest pause, in milliseconds. */
type Pauses = { readonly first: number; readonly longest: number };

export function createRepeated(
  env: { readonly schedule: (ms: number, callback: () => void) => () => void },
  { first, longest }: Pauses,
  action: () => void,
) {
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
    /** Schedules the next repeat after the first pause. */
    restart(): void {
      ms = first;
      schedule();
    },
    /** Resets the pause to the first one; a scheduled repeat stays. */
    reset: () => void (ms = first),
    /** True when the action ran since the pause was last reset. */
    isWaiting: () => ms > first,
    stop(): void {
      isStopped = true;
      cancel();
    },
  };
}
