import * as Execution from '../execution-state.ts';

import { nothing, memoize } from '../../kit/memoize.ts';
import type {
  AgentState,
  AgentStep,
  BreakHit,
  ExecutionStatus,
  StepExecution,
  ToolExecution,
  ExecutionState,
  AgentStepType,
} from '../types.ts';
import { section, type MessageStore } from '../message-store.ts';
import type { Message } from '../message.ts';
import { equalJson, type JsonObject } from '../../kit/json.ts';
import { highest, type StopSignal } from '../stop-signal.ts';
import type { StopReason } from '../stop-reason.ts';
import { none, type Usage } from '../usage.ts';
import type { ContinuationBranch } from '../execution-continuation.ts';
import { type Env, systemEnv } from '../env.ts';
import type { ErrorInfo } from '../error-info.ts';
import { needsAnswer, isFinalResponse, responseText, type as stepType } from '../agent-step.ts';

/** All steps of this execution, the one in flight last. */
export function steps(state: AgentState): readonly AgentStep[] {
  return state.execution === null ? nothing : Execution.steps(state.execution);
}

/** Status of the run; null before the first one. */
export function status(state: AgentState): ExecutionStatus | null {
  return state.execution?.status ?? null;
}

/** The messages of the section `messages`, which a chat shows. */
export function messages(state: AgentState): readonly Message[] {
  return section(state.context.store);
}

/** Number of steps of this execution, the one in flight included. */
export function stepCount(state: AgentState): number {
  const { execution } = state;
  return execution === null ? 0 : execution.stepExecutions.length + (execution.currentStep === null ? 0 : 1);
}

/** The finished steps with their times. */
export function stepExecutions(state: AgentState): readonly StepExecution[] {
  return state.execution?.stepExecutions ?? nothing;
}

/** The step in flight; null between steps. */
export function currentStep(state: AgentState): AgentStep | null {
  return state.execution?.currentStep ?? null;
}

const awaiting = memoize((step: AgentStep): readonly ToolExecution[] => {
  const found = step.toolExecutions.flatMap((execution) => {
    if (Execution.isWaiting(execution)) return [execution];
    return execution.status === 'running' && execution.childState
      ? pendingApprovals(execution.childState)
      : [];
  });
  return found.length === 0 ? nothing : found;
});

/** An agent that waits at a breakpoint: the path to it, the breakpoint and the place. */
export type AgentBreak = BreakHit & { readonly path: readonly string[] };

const breaksIn: (execution: ExecutionState) => readonly AgentBreak[] = memoize((execution) => {
  const { breakHit, currentStep: step } = execution;
  const own: readonly AgentBreak[] = breakHit ? [{ ...breakHit, path: [] }] : nothing;
  const calls: readonly ToolExecution[] = step?.toolExecutions ?? nothing;
  const below = calls.flatMap(({ id, status: outcome, childState }) =>
    outcome !== 'running' || childState === null
      ? []
      : breakHits(childState).map((hit): AgentBreak => ({ ...hit, path: [id, ...hit.path] })),
  );
  return own.length + below.length === 0 ? nothing : [...own, ...below];
});

/** The agents that wait at a breakpoint: this one, and its subagents at any depth. */
export function breakHits({ execution }: AgentState): readonly AgentBreak[] {
  return execution === null ? nothing : breaksIn(execution);
}

/** The calls that wait for a person, those of running subagents included. */
export function pendingApprovals(state: AgentState): readonly ToolExecution[] {
  const step = currentStep(state);
  return step === null ? nothing : awaiting(step);
}

const combinedSignals = memoize((execution: ExecutionState): readonly StopSignal[] => {
  const archived = execution.stepExecutions.at(-1)?.continuation.stopSignals ?? nothing;
  const current = execution.continuation.stopSignals;
  if (archived === current || archived.length === 0) return current;
  // A state read from storage holds equal signals and not the same objects.
  return [...archived, ...current.filter((signal) => !archived.some((other) => equalJson(other, signal)))];
});

/** All stop signals: those of the last finished step, then those after it. */
export function stopSignals(state: AgentState): readonly StopSignal[] {
  return state.execution === null ? nothing : combinedSignals(state.execution);
}

/** The signal that decides; null when there is none. */
export function stopSignal(state: AgentState): StopSignal | null {
  return highest(stopSignals(state));
}

/** The reason of the deciding signal; null while no signal is present. */
export function stopReason(state: AgentState): StopReason | null {
  return stopSignal(state)?.reason ?? null;
}

/** Usage of this execution, subagents included. */
export function usage(state: AgentState): Usage {
  return state.execution === null ? none() : Execution.usage(state.execution);
}

/** The messages in their sections. */
export function store(state: AgentState): MessageStore {
  return state.context.store;
}

/** Data that the application keeps with the conversation. */
export function metadata(state: AgentState): JsonObject {
  return state.context.metadata;
}

/** The step in flight, else the last finished one; null when there is neither. */
export function currentStepOrLast(state: AgentState): AgentStep | null {
  return currentStep(state) ?? lastStep(state);
}

/** The last finished step. */
export function lastStep(state: AgentState): AgentStep | null {
  return lastStepExecution(state)?.step ?? null;
}

/** The type of the last finished step; null when there is none. */
export function lastStepType(state: AgentState): AgentStepType | null {
  const step = lastStep(state);
  return step === null ? null : stepType(step);
}

/** The last finished step with its times; null when there is none. */
export function lastStepExecution(state: AgentState): StepExecution | null {
  return state.execution?.stepExecutions.at(-1) ?? null;
}

/** The last call of the last step that has calls; null when there is none. */
export function lastToolExecution(state: AgentState): ToolExecution | null {
  return (
    steps(state)
      .findLast((step) => step.toolExecutions.length > 0)
      ?.toolExecutions.at(-1) ?? null
  );
}

/** The source of the deciding signal: a guard, hook, tool or `budget`; null when the signal names none. */
export function stopSource(state: AgentState): string | null {
  return stopSignal(state)?.source ?? null;
}

/** The branch of `shouldStop` that decides for this state. */
export function continuationBranch(state: AgentState): ContinuationBranch {
  const { execution } = state;
  if (execution === null) return 'no-execution';
  if (execution.continuation.isContinuationRequested) return 'continuation-requested';
  if (execution.continuation.stopSignals.length > 0) return 'stop-signals';
  const step = currentStepOrLast(state);
  return step !== null && needsAnswer(step) ? 'tool-calls-requested' : 'nothing-left';
}

/** True when a run over this state would begin no further step; see `continuationBranch` for the reason. */
export function shouldStop(state: AgentState): boolean {
  const branch = continuationBranch(state);
  return branch !== 'continuation-requested' && branch !== 'tool-calls-requested';
}

/** True when a step or the execution has errors, those of tool calls included. Null before the first run. */
export function hasErrors(state: AgentState): boolean | null {
  return state.execution === null ? null : Execution.hasErrors(state.execution);
}

/** The errors of the step in flight, then those of the finished steps, then those outside any step. */
export function errors(state: AgentState): readonly ErrorInfo[] {
  return state.execution === null ? nothing : Execution.errors(state.execution);
}

/** Milliseconds of work from the start of the execution to its end, or to now; waiting for a person does not count. */
export function executionDuration(state: AgentState, env: Env = systemEnv): number {
  return Execution.activeMs(state, env.now());
}

/** True when the last finished step is an answer with more than white space. */
export function hasFinalResponse(state: AgentState): boolean {
  const step = lastStep(state);
  return step !== null && isFinalResponse(step);
}

/** The text of the final answer; empty when there is none. */
export function finalResponse(state: AgentState): string {
  const step = lastStep(state);
  return step !== null && isFinalResponse(step) ? responseText(step) : '';
}

/** The last text of the model, in any kind of step. */
export function currentResponse(state: AgentState): string {
  const step = currentStepOrLast(state);
  return step === null ? '' : responseText(step);
}

/** The subagents that run or wait now. */
export function children(state: AgentState): readonly AgentState[] {
  return state.execution === null ? nothing : Execution.children(state.execution);
}
