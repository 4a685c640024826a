import type { Env } from '../../graph/env.ts';

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

/** The one timer of a saver. */
export type SaveClock = {
  /** Writes in so many milliseconds, unless it is to be sooner already; while the last write has failed its retry is waited for. */
  readonly request: (ms: number) => void;
  /** The same, and not later because of failures. */
  readonly hurry: (ms: number) => void;
  /** Writes again, later with every failure in a row. */
  readonly retry: () => void;
  /** A write has succeeded. */
  readonly succeeded: () => void;
  /** A write begins: what was requested is done with. */
  readonly began: () => void;
  readonly isSet: () => boolean;
  /** How long ago the last write began, in milliseconds. */
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
