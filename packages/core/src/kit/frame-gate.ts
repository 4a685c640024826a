import type { FrameScheduler } from './frame-scheduler.ts';

/** When changes are shown: once a frame, at once, or at most every so many milliseconds. */
export type PublishMode = 'frame' | 'immediate' | number;

/** Holds back what has changed until it may be shown. */
export type FrameGate = {
  /** Something has changed. The first change after a quiet while is published at once. */
  readonly touch: () => void;
  /** Publishes now what waits; nothing when nothing does. */
  readonly flush: () => void;
  /** Drops what waits. A later `touch` does nothing. */
  readonly dispose: () => void;
};

export type FrameGateOptions = {
  /** Shows the present state. */
  readonly publish: () => void;
  /** Read at every change, so that it may differ from one to the next. */
  readonly mode: () => PublishMode;
  /** Who runs beside whom: all gates of a page share `pageFrames()`, and so one frame. */
  readonly frames: FrameScheduler;
  /** Timer for a mode in milliseconds. */
  readonly schedule: (ms: number, run: () => void) => () => void;
};

/**
 * Coalesces the changes of one session.
 * @example
 * const gate = createFrameGate({ publish, mode: () => options.publish ?? 'frame', frames: pageFrames(), schedule: env.schedule });
 */
export function createFrameGate({ publish, mode, frames, schedule }: FrameGateOptions): FrameGate {
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
    if (now === 'frame') {
      stopWaiting = frames.request(() => {
        isWaiting = false;
        flush();
      });
    } else {
      stopWaiting = schedule(now, () => {
        isWaiting = false;
        if (isDirty) admit();
      });
      flush();
    }
  }

  return {
    touch() {
      if (isDisposed) return;
      isDirty = true;
      admit();
    },
    flush,
    dispose() {
      isDisposed = true;
      isDirty = false;
      stopWaiting();
    },
  };
}
