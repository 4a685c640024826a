import { memoize } from '../kit/memoize.ts';
import { fresh as freshContinuation } from './execution-continuation.ts';
import type { ErrorInfo } from './error-info.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type { AgentState, ExecutionState, UnfinishedExecution } from './types.ts';

export { steps } from './steps-of-execution.ts';
/** What the steps and their subagents spent, those that still run included. */
export { usageOfExecution as usage } from './usage-of-execution.ts';

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

/** True when it has ended, in whatever way. */
export function isFinished(execution: ExecutionState): boolean {
  return execution.status !== 'pending' && execution.status !== 'in-progress';
}

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
