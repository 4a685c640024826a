import type { Env } from '../../graph/env.ts';

/** A page that is not gone after so many milliseconds stays. */
const leaveMs = 1000;

/** A browser breaks off requests before it hides the page: a run that fails by it was interrupted. */
export type PageLeaving = {
  /** The page is about to go away: what there is is written now. */
  readonly begin: (write: () => unknown) => void;
  /** Resolves when what there is may be written: at once, or when the page is still there after a while. */
  readonly stays: () => Promise<void>;
};

/** `isFailing`: what would be written is a failure that is not stored yet. */
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
