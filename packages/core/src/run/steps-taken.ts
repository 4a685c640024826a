import { memoize } from '../kit/memoize.ts';
import type { AgentState, AgentStep } from '../graph/types.ts';

/**
 * Steps that a resumed run has taken so far, subagents included. A step in flight counts when it has its
 * answer; otherwise it begins again and is counted then.
 */
export function stepsTaken({ execution }: AgentState): number {
  if (execution === null || execution.status !== 'in-progress') return 0;
  const { stepExecutions, currentStep } = execution;
  const archived = stepExecutions.reduce((sum, { step }) => sum + 1 + stepsBelow(step), 0);
  if (currentStep === null) return archived;
  return archived + (currentStep.inferenceResponse === null ? 0 : 1) + stepsBelow(currentStep);
}

const stepsBelow: (step: AgentStep) => number = memoize((step) =>
  step.toolExecutions.reduce(
    (sum, { childState }) => sum + (childState === null ? 0 : totalSteps(childState)),
    0,
  ),
);

/** Steps of an agent and of its subagents, running or ended. */
export function totalSteps(state: AgentState): number {
  const { execution } = state;
  if (execution === null) return 0;
  return stepsTaken({ ...state, execution: { ...execution, status: 'in-progress', completedAt: null } });
}
