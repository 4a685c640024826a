import { longestTimerMs } from '../longest-timer.ts';
import type { InferenceRun } from './run-inference.ts';
import { streamErrors } from './stream-errors.ts';

/** The inferences that run in this process, until there are to be none any more. */
export type RunningInferences = {
  readonly get: (id: string) => InferenceRun | undefined;
  readonly add: (id: string, run: InferenceRun) => void;
  readonly delete: (id: string) => void;
  readonly size: () => number;
  /** One that is being started counts, though it does not run yet. */
  readonly starting: <Value>(start: () => Promise<Value>) => Promise<Value>;
  readonly isClosing: () => boolean;
  /** Waits for all of them; those that have not ended by themselves in this many milliseconds are ended; Infinity ends none. */
  readonly close: (graceMs: number) => Promise<void>;
};

/** None yet. */
export function createRunningInferences(): RunningInferences {
  const runs = new Map<string, InferenceRun>();
  const waiting = new Set<() => void>();
  let starting = 0;
  let isClosing = false;
  let isEnding = false;

  function look(): void {
    // One that a log without an answer keeps from starting is not waited for any longer: it would end at once.
    if (runs.size > 0 || (starting > 0 && !isEnding)) return;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  return {
    get: (id) => runs.get(id),
    add(id, run) {
      runs.set(id, run);
      if (isEnding) run.stop(streamErrors.shutDown);
    },
    delete(id) {
      runs.delete(id);
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
