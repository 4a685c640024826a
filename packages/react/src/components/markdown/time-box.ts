/** A budget of time for work in each frame. */
export type TimeBox = {
  /**
   * Runs the work if there is time left, otherwise returns null. Work that takes longer reduces the time of
   * later frames.
   */
  readonly take: <T>(work: () => T) => T | null;
  /** Calls the listener once when there is time again. Returns the function that cancels this. */
  readonly whenFree: (listener: () => void) => () => void;
};

type TimeBoxOptions = {
  /** Milliseconds of work for each frame. */
  readonly ms: number;
  /** The current time in milliseconds, from any origin. */
  readonly now: () => number;
  readonly nextFrame: (listener: () => void) => void;
};

/** Maximum number of frames that one piece of work takes up, because the first work on a cold page takes very long. */
const framesOfPiece = 6;

/**
 * Creates a time box: work beyond `ms` of a frame waits in order for later frames. A long piece of work
 * takes up the time of the following frames.
 */
export function createTimeBox({ ms, now, nextFrame }: TimeBoxOptions): TimeBox {
  let spent = 0;
  let isTicking = false;
  const waiting = new Set<() => void>();

  const tick = (): void => {
    isTicking = false;
    spent = Math.max(0, spent - ms);
    for (const listener of Array.from(waiting)) {
      if (spent >= ms) break;
      waiting.delete(listener);
      listener();
    }
    if (spent > 0 || waiting.size > 0) startTicking();
  };
  const startTicking = (): void => {
    if (isTicking) return;
    isTicking = true;
    nextFrame(tick);
  };

  return {
    take(work) {
      if (spent >= ms) return null;
      const startedAt = now();
      try {
        return work();
      } finally {
        spent += Math.min(Math.max(0, now() - startedAt), ms * framesOfPiece);
        startTicking();
      }
    },
    whenFree(listener) {
      const entry = (): void => listener();
      waiting.add(entry);
      startTicking();
      return () => void waiting.delete(entry);
    },
  };
}
