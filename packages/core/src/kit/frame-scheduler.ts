import { reportThrown } from './listeners.ts';

/** Runs jobs together, at most once a frame. */
export type FrameScheduler = ReturnType<typeof createFrameScheduler>;

/** Shortest rest after a frame, in milliseconds: browsers make no shorter repeated timers. */
const minRestMs = 4;

/** Shortest rest where nothing is painted, so that jobs run as often as in a page. */
const minRestWithoutPaintMs = 16;

/** Longest rest, in milliseconds, so that a page with very long frames still publishes. */
const maxRestMs = 2_000;

/** Longest wait for a frame, or for the message at its end, in milliseconds: hidden pages paint none. */
const patienceMs = 250;

/**
 * Creates the scheduler of one page. After a frame with jobs it rests for twice the time of that frame (scripts,
 * layout and paint). Streaming thus leaves two thirds of the main thread free, however long an answer grows. Without
 * jobs it holds no timer and no frame.
 * @param host Clock, timers and frames; tests provide their own.
 */
export function createFrameScheduler(host: FrameHost) {
  const waiting = new Set<() => void>();
  const shortest = host.paint === null ? minRestWithoutPaintMs : minRestMs;
  let isIdle = true;

  function runWaiting(): void {
    const due = [...waiting];
    waiting.clear();
    for (const job of due) {
      try {
        job();
      } catch (thrown) {
        host.report(thrown);
      }
    }
  }

  /** Runs `act` in the next frame, and rests by the cost of that frame. */
  function inFrame(act: () => void): void {
    const { paint } = host;
    if (paint === null) return measureAct(act, (done) => done());
    withPatience(host, paint.frame, () => measureAct(act, (done) => withPatience(host, paint.message, done)));
  }

  function measureAct(act: () => void, whenPainted: (done: () => void) => void): void {
    const startedAt = host.monotonic();
    act();
    whenPainted(() => rest(host.monotonic() - startedAt));
  }

  function rest(costMs: number): void {
    const restMs = Math.min(Math.max(2 * costMs, shortest), maxRestMs);
    host.schedule(restMs, () => {
      isIdle = waiting.size === 0;
      if (!isIdle) inFrame(runWaiting);
    });
  }

  return {
    /**
     * Runs `job` once: at once when nothing has run lately, else together with all other jobs in the next frame with
     * room. A waiting job is not added again. Errors of a job are reported to the host.
     * @returns a function that cancels the job.
     */
    request(job: () => void): () => void {
      waiting.add(job);
      if (isIdle) {
        isIdle = false;
        if (host.paint === null) inFrame(runWaiting);
        else {
          runWaiting();
          // The frame of this change is measured and runs nothing more, because it would paint two states at once.
          inFrame(() => undefined);
        }
      }
      return () => void waiting.delete(job);
    },
  };
}

/** Calls `run` when `later` does, or after a timeout. */
function withPatience(host: FrameHost, later: Later, run: () => void): void {
  const once = (): void => {
    cancelLater();
    cancelTimer();
    run();
  };
  const cancelLater = later(once);
  const cancelTimer = host.schedule(patienceMs, once);
}

let ofPage: { readonly clock: unknown; readonly frames: FrameScheduler } | null = null;

/** The scheduler that all gates of a page or process share; a new one where a test has replaced the timers it waits for. */
export function pageFrames(): FrameScheduler {
  const clock = globalThis.setTimeout;
  if (ofPage?.clock !== clock) ofPage = { clock, frames: createFrameScheduler(pageHost()) };
  return ofPage.frames;
}

/** Calls `run` once, later; the returned function cancels the call. */
export type Later = (run: () => void) => () => void;

/** The platform of a frame scheduler. */
export type FrameHost = {
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  readonly schedule: (ms: number, run: () => void) => () => void;
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
    report: reportThrown,
  };
}

/** Requests a frame. A test may have removed its page with all frames: then a timer replaces it. */
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
