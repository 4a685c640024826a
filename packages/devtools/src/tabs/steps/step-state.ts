import { AgentState, AgentStep, type ToolExecution } from '@vitrine/core';

type Progress = {
  readonly isOver: boolean;
  /** True if the run is running; null when unknown. */
  readonly isRunning: boolean | null;
};

/** The states of a step: its type once it is over. */
export type StepState = ReturnType<typeof AgentStep.type> | 'interrupted' | 'waiting' | 'running';

/** The state of a step in one word. A step that waits for a person is not interrupted, although its run is paused. */
export function stepState(step: AgentStep, { isOver, isRunning }: Progress): StepState {
  if (isOver) {
    const type = AgentStep.type(step);
    return type !== 'error' && AgentStep.isInterrupted(step) ? 'interrupted' : type;
  }
  if (step.toolExecutions.some(waitsForPerson)) return 'waiting';
  return isRunning === false ? 'interrupted' : 'running';
}

/** Tells whether a call, or one of its subagent, waits for a person. */
export function waitsForPerson({ status, childState }: ToolExecution): boolean {
  if (status === 'awaiting-approval' || status === 'awaiting-output') return true;
  return status === 'running' && childState !== null && AgentState.pendingApprovals(childState).length > 0;
}
