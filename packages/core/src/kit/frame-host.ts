/** Calls `run` once, later; the returned function cancels the call. */
export type Later = (run: () => void) => () => void;

/** The clock of an `Env`. */
export type FrameClock = {
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  /** Calls `run` once after `ms` milliseconds. */
  readonly schedule: (ms: number, run: () => void) => () => void;
};

/** The platform of a frame scheduler. */
export type FrameHost = FrameClock & {
  /** Null where nothing is painted: on a server, or in tests with their own clock. */
  readonly paint: {
    /** Calls in the next animation frame. */
    readonly frame: Later;
    /** Calls in a task of its own: posted in an animation frame, it runs after that frame is painted. */
    readonly message: Later;
  } | null;
  /** Receives the error of a job. */
  readonly report: (thrown: unknown) => void;
};

/** Creates a host that uses only timers, on the given clock. */
export function timerHost(clock: FrameClock): FrameHost {
  return { monotonic: clock.monotonic, schedule: clock.schedule, paint: null, report };
}

/** The page of this code; where there are no animation frames, a host of timers. */
export function pageHost(): FrameHost {
  const hasFrames = typeof requestAnimationFrame === 'function' && typeof MessageChannel === 'function';
  return {
    monotonic: () => performance.now(),
    schedule(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    paint: hasFrames ? { frame: nextFrame, message: nextTask } : null,
    report,
  };
}

/**
 * Requests a frame. When frames are gone, as after a test removed its page, the callback never comes and a timer
 * replaces it.
 */
function nextFrame(run: () => void): () => void {
  if (typeof requestAnimationFrame !== 'function') return () => undefined;
  const frame = requestAnimationFrame(run);
  return () => globalThis.cancelAnimationFrame?.(frame);
}

/** Posts a task through a channel that is closed afterwards: an open port would keep a test's process alive. */
function nextTask(run: () => void): () => void {
  const { port1, port2 } = new MessageChannel();
  const close = (): void => port1.close();
  port1.onmessage = () => {
    close();
    run();
  };
  port2.postMessage(null);
  return close;
}

/** Reports an error as the browser does for event listeners. */
function report(thrown: unknown): void {
  if (typeof reportError === 'function') reportError(thrown);
}
