import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ExecutionBudget, Spent } from '../graph/limits/execution-budget.ts';
import type { Env } from '../graph/env.ts';
import type { AgentEvent, AgentEventBody, AgentEventListener } from './agent-event.ts';
import type { HookStack } from '../agent/hook-stack.ts';
import { stepCount, stepExecutions, usage } from '../graph/agent-state/accessors.ts';
import type { AgentState } from '../graph/types.ts';
import type { Tool } from '../agent/tool.ts';

/** How a hook that changes what its point does not allow is answered. */
export type HookContract = 'strict' | 'diagnostics' | 'warn' | 'off';

export type DriveOptions = {
  readonly agent: AgentDefinition;
  readonly state: AgentState;
  readonly env: Env;
  readonly hookContract: HookContract;
  /** The agent's budget, capped by what a parent has left. */
  readonly budget: ExecutionBudget;
  /** 0 for an agent that no other one called. */
  readonly depth: number;
  readonly maxDepth: number;
  /** Tools that a parent lends. */
  readonly extraTools: readonly Tool[];
  readonly signal: AbortSignal | null;
  readonly onEvent: AgentEventListener;
  /** Waits until whoever iterates wants the next step. */
  readonly checkpoint: (state: AgentState) => Promise<void>;
};

/** One run in progress: the only mutable thing in the loop. */
export type Run = Omit<DriveOptions, 'signal' | 'state'> & {
  readonly hooks: HookStack;
  readonly signal: AbortSignal;
  /** Ends calls in flight; the reason is an AgentStopError. */
  readonly abort: (reason: unknown) => void;
  /** Runs a subagent; handed down, because a run contains runs. */
  readonly drive: (options: DriveOptions) => Promise<AgentState>;
  readonly startedMonotonic: number;
  /** What the execution had used before this run, when it was resumed. */
  readonly secondsBefore: number;
  stepStartedMonotonic: number;
  isInStep: boolean;
  state: AgentState;
};

/** Tells listeners what happened; a listener that throws harms nobody but itself. */
export function emit(
  run: Run,
  body: AgentEventBody,
  stepNumber: number | null = run.isInStep ? currentStepNumber(run) : null,
): void {
  const { state, env } = run;
  const event: AgentEvent = {
    ...body,
    agentId: state.agentId,
    parentAgentId: state.parentAgentId,
    executionId: state.execution?.executionId ?? '',
    stepNumber,
    at: env.now(),
    state,
  };
  try {
    run.onEvent(event);
  } catch (error) {
    reportListenerError(error);
  }
}

/** The step that is under way, counted from 1. */
export function currentStepNumber({ state }: Run): number {
  return (state.execution?.stepExecutions.length ?? 0) + 1;
}

/** Seconds that the execution has run, measured with the monotonic clock; waiting for the user is not counted. */
export function elapsedSeconds(run: Run): number {
  return run.secondsBefore + (run.env.monotonic() - run.startedMonotonic) / 1000;
}

export function spent(run: Run): Spent {
  const { totalTokens, cost } = usage(run.state);
  return { steps: stepCount(run.state), tokens: totalTokens, seconds: elapsedSeconds(run), cost: cost ?? 0 };
}

/** Seconds of the finished steps of an execution that is taken up again. */
export function secondsOf(state: AgentState): number {
  return stepExecutions(state).reduce((sum, step) => sum + step.durationMs, 0) / 1000;
}

function reportListenerError(error: unknown): void {
  // Where the platform has it, the error reaches the usual place for uncaught errors without breaking the run.
  if (typeof reportError === 'function') reportError(error);
}
