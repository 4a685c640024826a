import type { Env } from '../env.ts';
import { changeExecution } from './change.ts';
import type { AgentState, ToolExecution } from '../types.ts';

/** Replaces a tool execution of the step in flight, found by its call; the same state when there is none. */
export function withToolExecution(state: AgentState, next: ToolExecution, env: Env): AgentState {
  const step = state.execution?.currentStep;
  const at = step?.toolExecutions.findIndex((entry) => entry.toolCall.id === next.toolCall.id) ?? -1;
  if (!step || at < 0 || step.toolExecutions[at] === next) return state;
  const toolExecutions = step.toolExecutions.map((entry, index) => (index === at ? next : entry));
  return changeExecution(
    state,
    (execution) => ({ ...execution, currentStep: { ...step, toolExecutions } }),
    env,
  );
}
