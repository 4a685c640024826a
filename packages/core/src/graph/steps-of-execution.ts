import { memoize } from '../kit/memoize.ts';
import type { AgentStep, ExecutionState } from './types.ts';

/** All steps, the current one last. */
export const steps: (execution: ExecutionState) => readonly AgentStep[] = memoize((execution) => {
  const archived = execution.stepExecutions.map((entry) => entry.step);
  return execution.currentStep === null ? archived : [...archived, execution.currentStep];
});
