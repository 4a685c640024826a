import { grown } from '../kit/grown-list.ts';
import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { AgentStep, ExecutionState, StepExecution } from './types.ts';

const stepsOf = memoizeGrowing<StepExecution, readonly AgentStep[]>((before, list, from) =>
  grown(
    before ?? [],
    list.slice(from).map(({ step }) => step),
  ),
);

/** All steps, the current one last. */
export const steps: (execution: ExecutionState) => readonly AgentStep[] = memoize((execution) => {
  const archived = stepsOf(execution.stepExecutions);
  return execution.currentStep === null ? archived : [...archived, execution.currentStep];
});
