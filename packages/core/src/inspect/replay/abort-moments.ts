import { AgentStopError } from '../../graph/agent-stop-error.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';

/** The positions at which a recording was aborted. */
export type AbortMoments = {
  /** Reports the number of events taken. */
  readonly reach: (count: number) => void;
  /** Triggers the next abort, which is the only thing that can continue the replay; false when none is left. */
  readonly hurry: (count: number) => boolean;
};

/**
 * Creates the abort positions. An abort leaves no event of its own, so it is triggered a number of events before its
 * first trace.
 */
export function createAbortMoments(
  recorded: ReadonlyMap<number, StopSignal>,
  before: number,
  onAbort: (reason: AgentStopError) => void,
): AbortMoments {
  const left = new Map(recorded);
  return {
    reach(count) {
      const signal = left.get(count + before);
      if (signal) onAbort(new AgentStopError(signal));
    },
    hurry(count) {
      const index = [...left.keys()].find((at) => at + 1 >= count);
      const signal = index === undefined ? undefined : left.get(index);
      left.delete(index ?? -1);
      if (signal) onAbort(new AgentStopError(signal));
      return signal !== undefined;
    },
  };
}
