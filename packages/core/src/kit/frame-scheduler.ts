import { type FrameHost, type Later, pageHost } from './frame-host.ts';

/** Runs jobs together, at most once a frame. */
export type FrameScheduler = {
  /**
   * Runs `job` once: at once when nothing has run lately, else together with all other jobs in the next frame that
   * there is room for. A job that waits already is not added again; what it throws is reported to the host.
   * @returns Takes the job back.
   */
  readonly request: (job: () => void) => () => void;
};

/** The shortest rest after a frame, in milliseconds: browsers make no shorter timers one after the other. */
const minRestMs = 4;
/** The same where nothing is painted, so that jobs run as often as they would in a page. */
const minRestWithoutPaintMs = 16;
/** The longest rest, in milliseconds: a page that needs seconds for a frame still moves. */
const maxRestMs = 2_000;
/** A frame, or the message of its end, is waited for this long, in milliseconds: hidden pages paint none. */
const patienceMs = 250;

/**
 * Lets jobs into the frames of one page. After a frame with jobs it rests for twice the time that the frame took
 * (scripts, layout and paint), so that streaming leaves two thirds of the main thread to others, however long an
 * answer grows. While nobody requests anything it holds no timer and no frame.
 * @param host Clock, timers and frames; tests bring their own.
 */
export function createFrameScheduler(host: FrameHost): FrameScheduler {
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

  /** Acts in the next frame, and rests by what that frame cost. */
  function inFrame(act: () => void): void {
    const { paint } = host;
    if (paint === null) return measured(act, (done) => done());
    withPatience(host, paint.frame, () => measured(act, (done) => withPatience(host, paint.message, done)));
  }

  function measured(act: () => void, whenPainted: (done: () => void) => void): void {
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
    request(job) {
      waiting.add(job);
      if (isIdle) {
        isIdle = false;
        if (host.paint === null) inFrame(runWaiting);
        else {
          runWaiting();
          // The frame that shows this is measured, and runs nothing more: it would paint two states at once.
          inFrame(() => undefined);
        }
      }
      return () => void waiting.delete(job);
    },
  };
}

/** Calls `run` when `later` does, or after a while if it does not. */
function withPatience(host: FrameHost, later: Later, run: () => void): void {
  const once = (): void => {
    cancelLater();
    cancelTimer();
    run();
  };
  const cancelLater = later(once);
  const cancelTimer = host.schedule(patienceMs, once);
}

let ofPage: FrameScheduler | null = null;

/** The one scheduler of this page (or process), shared by everything that publishes to it. */
export function pageFrames(): FrameScheduler {
  return (ofPage ??= createFrameScheduler(pageHost()));
}
