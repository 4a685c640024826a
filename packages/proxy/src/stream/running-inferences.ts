import { longestTimerMs } from '../kit/time.ts';
import type { InferenceRun } from './run-inference.ts';
import { streamErrors } from './stream-errors.ts';

/** The inferences that run in this process, until it closes. */
export type RunningInferences = {
  readonly get: (id: string) => InferenceRun | undefined;
  readonly add: (id: string, run: InferenceRun) => void;
  readonly delete: (id: string) => void;
  /** Adds the size of an event; when all streams exceed their limit, the longest is ended. */
  readonly grow: (id: string, bytes: number) => void;
  readonly size: () => number;
  /** Counts an inference while it is being started. */
  readonly starting: <Value>(start: () => Promise<Value>) => Promise<Value>;
  readonly isClosing: () => boolean;
  /** Waits for all inferences. Those that have not ended in this many milliseconds are ended; Infinity ends none. */
  readonly close: (graceMs: number) => Promise<void>;
};

/** Creates the inferences of a process. @param runningBytes The most bytes of all together. */
export function createRunningInferences(runningBytes: number): RunningInferences {
  const runs = new Map<string, InferenceRun>();
  const sizes = new Map<string, number>();
  let all = 0;
  const waiting = new Set<() => void>();
  let starting = 0;
  let isClosing = false;
  let isEnding = false;

  function look(): void {
    // An inference that waits for an unresponsive log is not awaited any longer: it would end at once.
    if (runs.size > 0 || (starting > 0 && !isEnding)) return;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  function endLongest(): void {
    let longest: string | null = null;
    for (const [id, size] of sizes) if (size > (sizes.get(longest ?? '') ?? -1)) longest = id;
    if (longest === null) return;
    // It occupies its bytes until its end is written, but its removal must not be counted twice.
    all -= sizes.get(longest) ?? 0;
    sizes.delete(longest);
    runs.get(longest)?.stop(streamErrors.noRoom(runningBytes));
  }

  return {
    get: (id) => runs.get(id),
    add(id, run) {
      runs.set(id, run);
      if (isEnding) run.stop(streamErrors.shutDown);
    },
    grow(id, bytes) {
      const size = sizes.get(id);
      // A stream that was ended for its size may still write its last event.
      if (size === undefined && !runs.has(id)) return;
      sizes.set(id, (size ?? 0) + bytes);
      all += bytes;
      while (all > runningBytes && sizes.size > 0) endLongest();
    },
    delete(id) {
      runs.delete(id);
      all -= sizes.get(id) ?? 0;
      sizes.delete(id);
      look();
    },
    size: () => runs.size,
    async starting(start) {
      starting++;
      try {
        return await start();
      } finally {
        starting--;
        look();
      }
    },
    isClosing: () => isClosing,
    async close(graceMs) {
      isClosing = true;
      const isOver = new Promise<void>((resolve) => waiting.add(resolve));
      look();
      const end = (): void => {
        isEnding = true;
        for (const run of runs.values()) run.stop(streamErrors.shutDown);
        look();
      };
      const timer = setTimeout(end, Math.min(graceMs, longestTimerMs));
      await isOver;
      clearTimeout(timer);
    },
  };
}
