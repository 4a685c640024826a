import { equalJson } from '../../kit/json.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import { highest } from '../highest-signal.ts';
import type { StopReason } from '../stop-reason.ts';
import type { StopSignal } from '../stop-signal.ts';
import type { AgentState, ExecutionState } from '../types.ts';

const combinedSignals = memoize((execution: ExecutionState): readonly StopSignal[] => {
  const archived = execution.stepExecutions.at(-1)?.continuation.stopSignals ?? nothing;
  const current = execution.continuation.stopSignals;
  if (archived === current || archived.length === 0) return current;
  // A state read from storage holds equal signals and not the same objects.
  return [...archived, ...current.filter((signal) => !archived.some((other) => equalJson(other, signal)))];
});

/** All stop signals: those of the last finished step, then those after it. */
export function stopSignals(state: AgentState): readonly StopSignal[] {
  return state.execution === null ? nothing : combinedSignals(state.execution);
}

/** The signal that decides; null when there is none. */
export function stopSignal(state: AgentState): StopSignal | null {
  return highest(stopSignals(state));
}

/** The reason of the deciding signal; null while no signal is present. */
export function stopReason(state: AgentState): StopReason | null {
  return stopSignal(state)?.reason ?? null;
}
