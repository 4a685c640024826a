import type { FrameScheduler } from './frame-scheduler.ts';

/** The time at which changes are published: once a frame, at once, or at most once in a number of milliseconds. */
export type PublishMode = 'frame' | 'immediate' | number;

export type FrameGate = ReturnType<typeof createFrameGate>;

/** Length of a frame without a page, in milliseconds. */
const frameMs = 16;

/** Coalesces the changes of one session, and delays them until they may be published. */
export function createFrameGate(options: {
  readonly publish: () => void;
  /** Returns the mode; called at every change, so that it may vary. */
  readonly mode: () => PublishMode;
  /** Timer for a mode in milliseconds. */
  readonly schedule: (ms: number, run: () => void) => () => void;
}) {
  const { publish, mode, schedule } = options;
  let frames: FrameScheduler | null = null;
  let isDirty = false;
  let isDisposed = false;
  let isWaiting = false;
  let stopWaiting = (): void => undefined;

  function flush(): void {
    if (!isDirty) return;
    isDirty = false;
    publish();
  }

  function admit(): void {
    const now = mode();
    if (now === 'immediate') return flush();
    if (isWaiting) return;
    isWaiting = true;
    if (now === 'frame' && frames !== null) {
      stopWaiting = frames.request(() => {
        isWaiting = false;
        flush();
      });
    } else {
      stopWaiting = schedule(now === 'frame' ? frameMs : now, () => {
        isWaiting = false;
        if (isDirty) admit();
      });
      flush();
    }
  }

  return {
    /** Reports a change. The first change after a quiet time is published at once. */
    touch(): void {
      if (isDisposed) return;
      isDirty = true;
      admit();
    },
    /** Publishes a waiting change now. */
    flush,
    /** Uses the frames of a scheduler from now on; before that a frame is a timer. */
    join(given: FrameScheduler): void {
      frames = given;
      if (!isWaiting || mode() !== 'frame') return;
      stopWaiting();
      isWaiting = false;
      if (isDirty) admit();
    },
    /** Drops a waiting change. A later `touch` does nothing. */
    dispose(): void {
      isDisposed = true;
      isDirty = false;
      stopWaiting();
    },
  };
}
