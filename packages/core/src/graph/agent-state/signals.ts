import { equalJson } from '../../kit/equal-json.ts';
import { memoize } from '../../kit/memoize.ts';
import { nothing } from '../../kit/nothing.ts';
import { highest } from '../highest-signal.ts';
import type { StopReason } from '../stop-reason.ts';
import type { StopSignal } from '../stop-signal.ts';
import type { AgentState, ExecutionState } from '../types.ts';

const combinedSignals = memoize((execution: ExecutionState): readonly StopSignal[] => {
  const archived = execution.stepExecutions.at(-1)?.continuation.stopSignals ?? nothing;
  const current = execution.continuation.stopSignals;
  if (archived === current || archived.length === 0) return current;
  // A state that was read from storage holds equal signals, not the same ones.
  return [...archived, ...current.filter((signal) => !archived.some((other) => equalJson(other, signal)))];
});

/** All signals that stand: those of the last finished step first, then those that came after it. */
export function stopSignals(state: AgentState): readonly StopSignal[] {
  return state.execution === null ? nothing : combinedSignals(state.execution);
}

/** The signal that decides. */
export function stopSignal(state: AgentState): StopSignal | null {
  return highest(stopSignals(state));
}

/** Why the run stops: the reason of the signal that decides; null while nothing speaks for stopping. */
export function stopReason(state: AgentState): StopReason | null {
  return stopSignal(state)?.reason ?? null;
}
