import { none, sum, type Usage } from './usage.ts';
import { fresh as freshContinuation } from './execution-continuation.ts';
import { type Env, systemEnv } from './env.ts';
import { memoize } from '../kit/memoize.ts';
import type { ErrorInfo } from './error-info.ts';
import { usage as stepUsage } from './agent-step.ts';
import type { AgentStep, ExecutionState, StepExecution, UnfinishedExecution } from './types.ts';

/** An execution that was made but does not run yet. */
export function pending(env: Env = systemEnv): UnfinishedExecution {
  return {
    executionId: env.id(),
    status: 'pending',
    startedAt: env.now(),
    completedAt: null,
    stepExecutions: [],
    continuation: freshContinuation(),
    currentStepStartedAt: null,
    currentStep: null,
    childUsage: none(),
    errors: [],
  };
}

export function isFinished(execution: ExecutionState): boolean {
  return execution.status !== 'pending' && execution.status !== 'in-progress';
}

/** All steps, the current one last. */
export const steps: (execution: ExecutionState) => readonly AgentStep[] = memoize((execution) => {
  const archived = execution.stepExecutions.map((entry) => entry.step);
  return execution.currentStep === null ? archived : [...archived, execution.currentStep];
});

const usageOfSteps = memoize((steps: readonly StepExecution[]): Usage =>
  sum(steps.map(({ step }) => stepUsage(step))),
);

/** What the steps and the subagents spent. */
export const usage: (execution: ExecutionState) => Usage = memoize(
  ({ stepExecutions, currentStep, childUsage }) => {
    const current = currentStep === null ? none() : stepUsage(currentStep);
    return sum([childUsage, usageOfSteps(stepExecutions), current]);
  },
);

/** The errors of all steps in order, then those outside any step. */
export const errors: (execution: ExecutionState) => readonly ErrorInfo[] = memoize((execution) => {
  const found = execution.stepExecutions.flatMap((entry) => entry.step.errors);
  return [...found, ...(execution.currentStep?.errors ?? []), ...execution.errors];
});
