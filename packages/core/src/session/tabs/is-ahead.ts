import { currentStep } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import { callOf } from '../../run/state-at.ts';

/** True when the first of two states of one journal contains more events. */
export function isAhead(state: AgentState, other: AgentState): boolean {
  if (state.seq !== other.seq) return state.seq > other.seq;
  // With an equal `seq` only the states of subagents can differ.
  return (currentStep(state)?.toolExecutions ?? []).some(({ id, childState }) => {
    const before = callOf(other, id)?.childState ?? null;
    return childState !== null && before !== null && isAhead(childState, before);
  });
}
