import { hasErrors as stepHasErrors } from './agent-step.ts';
import { memoize } from '../kit/memoize.ts';
import { fresh as freshContinuation } from './execution-continuation.ts';
import type { ErrorInfo } from './error-info.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type { AgentState, ExecutionState, UnfinishedExecution } from './types.ts';

export { steps } from './steps-of-execution.ts';
/** Usage of the steps and their subagents, running ones included. */
export { usageOfExecution as usage } from './usage-of-execution.ts';

/** Creates an execution that does not run yet. */
export function pending(env: Env = systemEnv): UnfinishedExecution {
  return pendingAt(env.id(), env.now());
}

/** Creates a pending execution with a known id and time. */
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
    extraUsage: null,
  };
}

/** True when the execution has ended, in any way. */
export function isFinished(execution: ExecutionState): boolean {
  return execution.status !== 'pending' && execution.status !== 'in-progress';
}

/** The errors of the step in flight, then those of the finished steps in order, then those outside any step. */
export const errors: (execution: ExecutionState) => readonly ErrorInfo[] = memoize((execution) => {
  const archived = execution.stepExecutions.flatMap((entry) => entry.step.errors);
  return [...(execution.currentStep?.errors ?? []), ...archived, ...execution.errors];
});

/** True when a step or the execution itself has errors, those of tool calls included. */
export const hasErrors: (execution: ExecutionState) => boolean = memoize(
  ({ errors, currentStep, stepExecutions }) =>
    errors.length > 0 ||
    (currentStep !== null && stepHasErrors(currentStep)) ||
    stepExecutions.some(({ step }) => stepHasErrors(step)),
);

/** The subagents of the step in flight that have not ended. */
export const children: (execution: ExecutionState) => readonly AgentState[] = memoize((execution) =>
  (execution.currentStep?.toolExecutions ?? []).flatMap(({ childState, status }) =>
    childState !== null && status === 'running' ? [childState] : [],
  ),
);
