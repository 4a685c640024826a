/** Counts of the page since `resetCounts`. */
export const counts = {
  /** Commits of React by any component. */ commits: 0,
  /** Renders of rows that existed before the stream. */ history: 0,
  /** Durations of tasks over 50 ms. */ longTasks: [] as number[],
};

export function resetCounts(): void {
  counts.commits = 0;
  counts.history = 0;
  counts.longTasks = [];
}

// React reports every commit to its developer tools, in production too.
Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => void counts.commits++,
    onCommitFiberUnmount: () => undefined,
  },
});

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) counts.longTasks.push(duration);
}).observe({ type: 'longtask' });

let expected: { length: number; resolve: () => void } | null = null;
const seen = new Set<string>();

/** Resolves when an unfinished row shows a text of this length. */
export function whenShown(length: number): Promise<void> {
  return new Promise((resolve) => {
    expected = { length, resolve };
  });
}

/** Records the commit of a row. */
export function shown(id: string, length: number): void {
  if (expected === null || length < expected.length || seen.has(id)) return;
  seen.add(id);
  expected.resolve();
  expected = null;
}

/** Calls a function after each frame has been painted, and one with the time at which it begins, until it is stopped. */
export function afterPaints(then: () => void, begins?: (now: number) => void): () => void {
  let isOver = false;
  const frame = (now: number): void => {
    if (isOver) return;
    begins?.(now);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      then();
    };
    port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return () => void (isOver = true);
}

/** Counts the commits of each frame until it is stopped; a frame ends when it has been painted. */
export function watchFrames(): () => { commits: number[]; framesAt: number[] } {
  const commits: number[] = [];
  const framesAt: number[] = [];
  let before = counts.commits;
  const count = (): void => {
    commits.push(counts.commits - before);
    before = counts.commits;
  };
  const stop = afterPaints(count, (now) => framesAt.push(now));
  return () => {
    stop();
    return { commits: commits.slice(1), framesAt };
  };
}

const windowFrames = 10;

/**
 * Commits per frame in the worst ten consecutive frames. One extra commit is ignored: a frame that is counted late
 * moves it into the next.
 */
export function commitsAFrame(commits: readonly number[]): number {
  const length = Math.min(windowFrames, commits.length);
  if (length === 0) return 0;
  let most = 0;
  for (let at = 0; at + length <= commits.length; at++) {
    const sum = commits.slice(at, at + length).reduce((total, count) => total + count, 0);
    most = Math.max(most, (sum - 1) / length);
  }
  return most;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
