import { currentStep } from '../../graph/agent-state/views.ts';
import type { AgentState } from '../../graph/types.ts';
import { callOf } from '../../run/state-at.ts';

/** True when more has happened in one of two states that stand in one journal. */
export function isAhead(state: AgentState, other: AgentState): boolean {
  if (state.seq !== other.seq) return state.seq > other.seq;
  // What has happened in the agent itself is the same: they may differ in what its subagents have done.
  return (currentStep(state)?.toolExecutions ?? []).some(({ id, childState }) => {
    const before = callOf(other, id)?.childState ?? null;
    return childState !== null && before !== null && isAhead(childState, before);
  });
}
