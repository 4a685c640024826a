import { pendingApprovals, status } from '../graph/agent-state/views.ts';
import type { AgentState } from '../graph/types.ts';

/** True for a run that was begun and is not over, whoever goes on with it. */
export function isOpen(state: AgentState): boolean {
  return status(state) === 'in-progress';
}

/** True for a run in which a call waits for a person. */
export function isWaiting(state: AgentState): boolean {
  return isOpen(state) && pendingApprovals(state).length > 0;
}
