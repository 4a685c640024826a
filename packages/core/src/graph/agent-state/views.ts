// The accessors that a session needs before any run. They have their own file because every page loads it.
import { memoize, nothing } from '../../kit/memoize.ts';
import { section } from '../sections.ts';
import type { Message } from '../message.ts';
import type { AgentState, AgentStep, ExecutionStatus, StepExecution, ToolExecution } from '../types.ts';
import { isWaiting } from '../waits-for-person.ts';

/** Status of the run; null before the first one. */
export function status(state: AgentState): ExecutionStatus | null {
  return state.execution?.status ?? null;
}

/** The messages of the section `messages`, which a chat shows. */
export function messages(state: AgentState): readonly Message[] {
  return section(state.context.store);
}

/** Number of steps of this execution, the one in flight included. */
export function stepCount(state: AgentState): number {
  const { execution } = state;
  return execution === null ? 0 : execution.stepExecutions.length + (execution.currentStep === null ? 0 : 1);
}

/** The finished steps with their times. */
export function stepExecutions(state: AgentState): readonly StepExecution[] {
  return state.execution?.stepExecutions ?? nothing;
}

/** The step in flight; null between steps. */
export function currentStep(state: AgentState): AgentStep | null {
  return state.execution?.currentStep ?? null;
}

const awaiting = memoize((step: AgentStep): readonly ToolExecution[] => {
  const found = step.toolExecutions.flatMap((execution) => {
    if (isWaiting(execution)) return [execution];
    return execution.status === 'running' && execution.childState
      ? pendingApprovals(execution.childState)
      : [];
  });
  return found.length === 0 ? nothing : found;
});

/** The calls that wait for a person, those of running subagents included. */
export function pendingApprovals(state: AgentState): readonly ToolExecution[] {
  const step = currentStep(state);
  return step === null ? nothing : awaiting(step);
}
