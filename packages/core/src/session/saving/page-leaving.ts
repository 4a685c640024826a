import type { Env } from '../../graph/env.ts';

/** A page that still exists after this time stays, in milliseconds. */
const leaveMs = 1000;

/**
 * Delays writes while a page is leaving. A browser cancels requests before it hides a page, so a failed run
 * was interrupted.
 */
export type PageLeaving = {
  /** Notes that the page is about to leave, and writes now. */
  readonly begin: (write: () => unknown) => void;
  /**
   * Resolves when a write may begin: at once, or after a second for a failure that the leaving page may have
   * caused.
   */
  readonly stays: () => Promise<void>;
};

/** Creates the delay. `isFailing` is true while the next write would store a new failure. */
export function createPageLeaving({ schedule }: Env, isFailing: () => boolean): PageLeaving {
  let isLeaving = false;
  return {
    begin(write) {
      isLeaving = true;
      write();
    },
    async stays() {
      if (!isLeaving || !isFailing()) return;
      await new Promise<void>((resolve) => void schedule(leaveMs, resolve));
      isLeaving = false;
    },
  };
}
