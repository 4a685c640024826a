import type { FrameScheduler } from './frame-scheduler.ts';

/** When changes are shown: once a frame, at once, or at most every so many milliseconds. */
export type PublishMode = 'frame' | 'immediate' | number;

/** Holds back what has changed until it may be shown. */
export type FrameGate = {
  /** Something has changed. The first change after a quiet while is published at once. */
  readonly touch: () => void;
  /** Publishes now what waits; nothing when nothing does. */
  readonly flush: () => void;
  /** Whose frames it uses from now on; until then a frame is a timer. */
  readonly join: (frames: FrameScheduler) => void;
  /** Drops what waits. A later `touch` does nothing. */
  readonly dispose: () => void;
};

/** A frame where there is no one to ask for one, in milliseconds. */
const frameMs = 16;

export type FrameGateOptions = {
  /** Shows the present state. */
  readonly publish: () => void;
  /** Read at every change, so that it may differ from one to the next. */
  readonly mode: () => PublishMode;
  /** Who runs beside whom: all gates of a page share `pageFrames()`, and so one frame. Default: a timer, until `join`. */
  readonly frames?: FrameScheduler;
  /** Timer for a mode in milliseconds. */
  readonly schedule: (ms: number, run: () => void) => () => void;
};

/**
 * Coalesces the changes of one session.
 * @example
 * const gate = createFrameGate({ publish, mode: () => options.publish ?? 'frame', frames: pageFrames(), schedule: env.schedule });
 */
export function createFrameGate({ publish, mode, frames: first, schedule }: FrameGateOptions): FrameGate {
  let frames = first ?? null;
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
    touch() {
      if (isDisposed) return;
      isDirty = true;
      admit();
    },
    flush,
    join(given) {
      frames = given;
      if (!isWaiting || mode() !== 'frame') return;
      stopWaiting();
      isWaiting = false;
      if (isDirty) admit();
    },
    dispose() {
      isDisposed = true;
      isDirty = false;
      stopWaiting();
    },
  };
}
