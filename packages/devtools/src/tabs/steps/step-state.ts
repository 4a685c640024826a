import { AgentState, AgentStep, type ToolExecution } from '@vitrine/core';

type Progress = {
  readonly isOver: boolean;
  /** Whether somebody goes on with its run; null where nobody knows. */
  readonly isRunning: boolean | null;
};

/** What has become of a step, in a word. One that waits for a person is not interrupted, though nobody goes on with it. */
export function stepState(step: AgentStep, { isOver, isRunning }: Progress): string {
  if (isOver) return AgentStep.isInterrupted(step) ? 'interrupted' : AgentStep.type(step);
  if (step.toolExecutions.some(waitsForPerson)) return 'waiting';
  return isRunning === false ? 'interrupted' : 'running';
}

/** Whether a person is to answer a call, or one of the subagent that it runs. */
export function waitsForPerson({ status, childState }: ToolExecution): boolean {
  if (status === 'awaiting-approval' || status === 'awaiting-output') return true;
  return status === 'running' && childState !== null && AgentState.pendingApprovals(childState).length > 0;
}
