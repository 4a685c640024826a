/** Time that work may take of each frame. */
export type TimeBox = {
  /** Does the work while there is time left; else it is not done, and null. What takes longer is paid for later. */
  readonly take: <T>(work: () => T) => T | null;
  /** Calls once when there is time again. Returns the function that takes this back. */
  readonly whenFree: (listener: () => void) => () => void;
};

type TimeBoxOptions = {
  /** Milliseconds of each frame. */
  readonly ms: number;
  /** Milliseconds from any beginning. */
  readonly now: () => number;
  readonly nextFrame: (listener: () => void) => void;
};

/** One piece of work counts for so many frames at most, however long it took: the first of a cold page takes too long. */
const framesOfPiece = 6;

/**
 * Shares the frames of a page out: what is asked for beyond `ms` of a frame waits, in its order, for later ones, for as
 * many as one piece of work has taken too long for.
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
