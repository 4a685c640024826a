import { none } from '../no-usage.ts';
import type { AgentState } from '../types.ts';
import type { Usage } from '../usage.ts';
import { usageOfExecution } from '../usage-of-execution.ts';

/** Usage of this execution, subagents included. */
export function usage(state: AgentState): Usage {
  return state.execution === null ? none() : usageOfExecution(state.execution);
}
