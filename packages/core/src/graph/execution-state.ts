import { none, sum, type Usage } from './usage.ts';
import { hasErrors as stepHasErrors } from './agent-step.ts';
import { growList, mapSame, memoize, memoizeGrowing } from '../kit/memoize.ts';
import { fresh as freshContinuation } from './execution-continuation.ts';
import type { ErrorInfo } from './error-info.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type {
  AgentState,
  ExecutionState,
  UnfinishedExecution,
  AgentStep,
  StepExecution,
  ToolExecution,
} from './types.ts';

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
    breakHit: null,
    breakPassed: null,
  };
}

/** True when the execution has ended, in any way. */
export function isFinished(execution: ExecutionState): boolean {
  return execution.status !== 'pending' && execution.status !== 'in-progress';
}

/** The errors of the step in flight, then those of the finished steps in order, then those outside any step. */
export const errors: (execution: ExecutionState) => readonly ErrorInfo[] = memoize((execution) => {
  const archived = execution.stepExecutions.flatMap(({ step }) => errorsOfStep(step));
  const { currentStep } = execution;
  return [...(currentStep === null ? [] : errorsOfStep(currentStep)), ...archived, ...execution.errors];
});

/** The errors of a step, those of its calls included. A call that the loop settled has its error in the step too. */
const errorsOfStep = memoize(({ errors: own, toolExecutions }: AgentStep): readonly ErrorInfo[] => {
  const ofCalls = toolExecutions.flatMap(({ error }) => error ?? []);
  if (ofCalls.length === 0) return own;
  const settled = new Map<string, number>();
  for (const error of own.map((entry) => JSON.stringify(entry)))
    settled.set(error, (settled.get(error) ?? 0) + 1);
  const isSettled = (error: ErrorInfo): boolean => {
    const left = settled.get(JSON.stringify(error)) ?? 0;
    settled.set(JSON.stringify(error), left - 1);
    return left > 0;
  };
  return [...own, ...ofCalls.filter((error) => !isSettled(error))];
});

/** True when a step or the execution itself has errors, those of tool calls included. */
export const hasErrors: (execution: ExecutionState) => boolean = memoize(
  ({ errors, currentStep, stepExecutions }) =>
    errors.length > 0 ||
    (currentStep !== null && stepHasErrors(currentStep)) ||
    stepExecutions.some(({ step }) => stepHasErrors(step)),
);

/** The execution with its steps mapped; the same one when none of them changes. */
export function mapSteps(execution: ExecutionState, update: (step: AgentStep) => AgentStep): ExecutionState {
  const stepExecutions = mapSame(execution.stepExecutions, (entry) => {
    const step = update(entry.step);
    return step === entry.step ? entry : { ...entry, step };
  });
  const currentStep = execution.currentStep === null ? null : update(execution.currentStep);
  const isSame = stepExecutions === execution.stepExecutions && currentStep === execution.currentStep;
  return isSame ? execution : { ...execution, stepExecutions, currentStep };
}

/** The subagents of the step in flight that have not ended. */
export const children: (execution: ExecutionState) => readonly AgentState[] = memoize((execution) =>
  (execution.currentStep?.toolExecutions ?? []).flatMap(({ childState, status }) =>
    childState !== null && status === 'running' ? [childState] : [],
  ),
);

const stepsOf = memoizeGrowing<StepExecution, readonly AgentStep[]>((before, list, from) =>
  growList(
    before ?? [],
    list.slice(from).map(({ step }) => step),
  ),
);

/** All steps, the current one last. */
export const steps: (execution: ExecutionState) => readonly AgentStep[] = memoize((execution) => {
  const archived = stepsOf(execution.stepExecutions);
  return execution.currentStep === null ? archived : [...archived, execution.currentStep];
});

/**
 * Milliseconds of work of the execution until `now`, or until its end. Waiting for a person, interruptions and sleep
 * of the machine do not count; sleep is subtracted when its step ends. The result is 0 before the execution runs, and
 * a clock that was set back does not lower it.
 */
export function activeMs(state: AgentState, now: Timestamp): number {
  const { execution } = state;
  if (execution === null || execution.status === 'pending') return 0;
  const { startedAt, completedAt, waitedMs, waitingSince } = execution;
  // No event is older than the last change, so `now` cannot be older either.
  const end = completedAt ?? Math.max(now, state.updatedAt);
  const waiting = waitingSince === null ? 0 : Math.max(0, end - waitingSince);
  return Math.max(0, end - startedAt - waitedMs - waiting);
}

/** True when the call cannot continue before a person answers. */
export function isWaiting({ status }: ToolExecution): boolean {
  return status === 'awaiting-approval' || status === 'awaiting-output';
}

/** Usage of model calls, subagents included. */
type Tally = {
  readonly usage: Usage;
  /** True when a call of unknown price was made. */
  readonly hasUnknownCost: boolean;
  /** The most output tokens of one call; null before the first. */
  readonly largestOutput: number | null;
};

const empty: Tally = { usage: none(), hasUnknownCost: false, largestOutput: null };

/** The tally of a step and its subagents: live while the step runs, computed once after it. */
const tallyOfStep: (step: AgentStep) => Tally = memoize((step) => {
  const children = step.toolExecutions.flatMap(({ childState }) => childState?.execution ?? []);
  const calls = [step.inferenceResponse?.usage ?? null, step.extraUsage].map(tallyOfCall);
  return total([...calls, ...children.map(tallyOfExecution)]);
});

const tallyOfSteps = memoizeGrowing<StepExecution, Tally>((before, list, from) =>
  list.slice(from).reduce((tally, { step }) => total([tally, tallyOfStep(step)]), before ?? empty),
);

const tallyOfExecution: (execution: ExecutionState) => Tally = memoize((execution) => {
  const { stepExecutions, currentStep, extraUsage } = execution;
  const archived = total([tallyOfSteps(stepExecutions), tallyOfCall(extraUsage)]);
  return currentStep === null ? archived : total([archived, tallyOfStep(currentStep)]);
});

function tallyOfCall(reported: Usage | null | undefined): Tally {
  // A state built by hand may lack the field.
  if (!reported) return empty;
  const { cost } = reported;
  const usage = sum([reported]);
  return { usage, hasUnknownCost: cost === null || !(cost >= 0), largestOutput: usage.outputTokens };
}

function total(tallies: readonly Tally[]): Tally {
  const real = tallies.filter((tally) => tally !== empty);
  if (real.length < 2) return real[0] ?? empty;
  return {
    usage: sum(real.map(({ usage }) => usage)),
    hasUnknownCost: real.some(({ hasUnknownCost }) => hasUnknownCost),
    largestOutput: Math.max(...real.map(({ largestOutput }) => largestOutput ?? 0)),
  };
}

/** The spending of all steps and their subagents. One more step costs one sum. */
export function usage(execution: ExecutionState): Usage {
  return tallyOfExecution(execution).usage;
}

/** True when the execution, or a subagent of it, called a model whose price is not known. */
export function hasUnknownCost({ execution }: AgentState): boolean {
  return execution !== null && tallyOfExecution(execution).hasUnknownCost;
}

/** The most output tokens of one call of the execution and its subagents; null before the first. */
export function largestOutput({ execution }: AgentState): number | null {
  return execution === null ? null : tallyOfExecution(execution).largestOutput;
}
