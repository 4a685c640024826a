/** Calls `run` once, later; the function that it returns takes the call back. */
export type Later = (run: () => void) => () => void;

/** Time as an `Env` gives it. */
export type FrameClock = {
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  /** Calls `run` once after `ms` milliseconds. */
  readonly schedule: (ms: number, run: () => void) => () => void;
};

/** What a frame scheduler needs from the place that it runs in. */
export type FrameHost = FrameClock & {
  /** Null where nothing is painted: in a server, or in tests with a clock of their own. */
  readonly paint: {
    /** Calls in the next animation frame. */
    readonly frame: Later;
    /** Calls in a task of its own: posted in an animation frame, it comes when that frame is painted. */
    readonly message: Later;
  } | null;
  /** Is told what a job threw. */
  readonly report: (thrown: unknown) => void;
};

/** A host of timers alone, on the given clock. */
export function timerHost(clock: FrameClock): FrameHost {
  return { monotonic: clock.monotonic, schedule: clock.schedule, paint: null, report };
}

/** The page that this code runs in; where there are no animation frames, timers alone. */
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

/** Where frames have gone meanwhile, as when a test takes its page down, this one never comes: its patience ends it. */
function nextFrame(run: () => void): () => void {
  if (typeof requestAnimationFrame !== 'function') return () => undefined;
  const frame = requestAnimationFrame(run);
  return () => globalThis.cancelAnimationFrame?.(frame);
}

/** A channel a message, closed afterwards: an open port would keep a test's process alive. */
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

/** As the browser reports what an event listener throws. */
function report(thrown: unknown): void {
  if (typeof reportError === 'function') reportError(thrown);
}
