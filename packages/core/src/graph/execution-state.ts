import { memoize } from '../kit/memoize.ts';
import { usage as stepUsage } from './agent-step.ts';
import { fresh as freshContinuation } from './execution-continuation.ts';
import type { ErrorInfo } from './error-info.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type {
  AgentState,
  AgentStep,
  ExecutionState,
  StepExecution,
  ToolExecution,
  UnfinishedExecution,
} from './types.ts';
import { none, sum, type Usage } from './usage.ts';

/** An execution that was made but does not run yet. */
export function pending(env: Env = systemEnv): UnfinishedExecution {
  return pendingAt(env.id(), env.now());
}

/** The same with an id and a time that are known. */
export function pendingAt(executionId: string, at: Timestamp): UnfinishedExecution {
  return {
    executionId,
    status: 'pending',
    startedAt: at,
    completedAt: null,
    stepExecutions: [],
    continuation: freshContinuation(),
    currentStepStartedAt: null,
    currentStep: null,
    waitedMs: 0,
    waitingSince: null,
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

const usageOfStep = memoize((step: AgentStep): Usage =>
  sum([stepUsage(step), ...step.toolExecutions.map(childUsage)]),
);

function childUsage({ childState }: ToolExecution): Usage {
  return childState?.execution ? usage(childState.execution) : none();
}

const usageOfSteps = memoize((entries: readonly StepExecution[]): Usage =>
  sum(entries.map(({ step }) => usageOfStep(step))),
);

/** What the steps and their subagents spent, those that still run included. */
export const usage: (execution: ExecutionState) => Usage = memoize(({ stepExecutions, currentStep }) =>
  sum([usageOfSteps(stepExecutions), currentStep === null ? none() : usageOfStep(currentStep)]),
);

/** The errors of the step in flight, then those of the finished steps in order, then those outside any step. */
export const errors: (execution: ExecutionState) => readonly ErrorInfo[] = memoize((execution) => {
  const archived = execution.stepExecutions.flatMap((entry) => entry.step.errors);
  return [...(execution.currentStep?.errors ?? []), ...archived, ...execution.errors];
});

/** The subagents of the step in flight that have not ended. */
export const children: (execution: ExecutionState) => readonly AgentState[] = memoize((execution) =>
  (execution.currentStep?.toolExecutions ?? []).flatMap(({ childState, status }) =>
    childState !== null && status === 'running' ? [childState] : [],
  ),
);
