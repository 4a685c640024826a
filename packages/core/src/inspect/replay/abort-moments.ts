import { AgentStopError } from '../../graph/agent-stop-error.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';

/** Where a recording was aborted. */
export type AbortMoments = {
  /** So many events were taken. */
  readonly reach: (count: number) => void;
  /** Nobody but an abort can bring on what waits for one: false when none is left. */
  readonly hurry: (count: number) => boolean;
};

/** An abort leaves no mark of its own: it is tried so many events before its first trace. */
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
