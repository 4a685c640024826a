import type { Env } from '../../graph/env.ts';

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

/** The single timer of a saver. */
export type SaveClock = {
  /**
   * Schedules a write after `ms` milliseconds unless an earlier one is set. While a retry is pending, it does
   * nothing.
   */
  readonly request: (ms: number) => void;
  /** Schedules a write as `request` does, even while a retry is pending. */
  readonly hurry: (ms: number) => void;
  /** Schedules a retry; the pause doubles with every failure in a row. */
  readonly retry: () => void;
  /** Resets the count of failures after a successful write. */
  readonly succeeded: () => void;
  /** Cancels the timer because a write begins now. */
  readonly began: () => void;
  readonly isSet: () => boolean;
  /** The time since the last write began, in milliseconds. */
  readonly sinceWriteMs: () => number;
  readonly stop: () => void;
};

export function createSaveClock({ monotonic, schedule }: Env, write: () => void): SaveClock {
  let timer: { readonly due: number; readonly cancel: () => void } | null = null;
  let failures = 0;
  let lastWrite = -Infinity;

  let isRetrying = false;

  function stop(): void {
    timer?.cancel();
    timer = null;
    isRetrying = false;
  }

  function start(ms: number): void {
    const due = monotonic() + ms;
    if (timer !== null && timer.due <= due) return;
    stop();
    const cancel = schedule(ms, () => {
      stop();
      write();
    });
    timer = { due, cancel };
  }

  return {
    request(ms) {
      if (!isRetrying) start(ms);
    },
    hurry: start,
    stop,
    retry() {
      start(Math.min(lastRetryMs, firstRetryMs * 2 ** failures++));
      isRetrying = true;
    },
    succeeded() {
      failures = 0;
    },
    began() {
      stop();
      lastWrite = monotonic();
    },
    isSet: () => timer !== null,
    sinceWriteMs: () => monotonic() - lastWrite,
  };
}
