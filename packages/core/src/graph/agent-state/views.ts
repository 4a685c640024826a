// What user interfaces select of a state. It stands apart from the other accessors, because every page starts with it.
import { equalJson } from '../../kit/equal-json.ts';
import { memoize } from '../../kit/memoize.ts';
import { highest } from '../highest-signal.ts';
import { section } from '../sections.ts';
import type { Message } from '../message.ts';
import { steps as stepsOf } from '../steps-of-execution.ts';
import type { StopReason } from '../stop-reason.ts';
import type { StopSignal } from '../stop-signal.ts';
import type {
  AgentState,
  AgentStep,
  ExecutionState,
  ExecutionStatus,
  StepExecution,
  ToolExecution,
} from '../types.ts';
import { isWaiting } from '../waits-for-person.ts';

const nothing: readonly never[] = [];

/** How far the run is; null before the first one. */
export function status(state: AgentState): ExecutionStatus | null {
  return state.execution?.status ?? null;
}

/** The section `messages`: what a chat shows. */
export function messages(state: AgentState): readonly Message[] {
  return section(state.context.store);
}

/** Steps of this execution, the one in flight included. */
export function stepCount(state: AgentState): number {
  const { execution } = state;
  return execution === null ? 0 : execution.stepExecutions.length + (execution.currentStep === null ? 0 : 1);
}

/** All steps of this execution, the one in flight last. */
export function steps(state: AgentState): readonly AgentStep[] {
  return state.execution === null ? nothing : stepsOf(state.execution);
}

/** The finished steps with their times. */
export function stepExecutions(state: AgentState): readonly StepExecution[] {
  return state.execution?.stepExecutions ?? nothing;
}

/** The step in flight; null between steps. */
export function currentStep(state: AgentState): AgentStep | null {
  return state.execution?.currentStep ?? null;
}

const combinedSignals = memoize((execution: ExecutionState): readonly StopSignal[] => {
  const archived = execution.stepExecutions.at(-1)?.continuation.stopSignals ?? nothing;
  const current = execution.continuation.stopSignals;
  if (archived === current || archived.length === 0) return current;
  // A state that was read from storage holds equal signals, not the same ones.
  return [...archived, ...current.filter((signal) => !archived.some((other) => equalJson(other, signal)))];
});

/** All signals that stand: those of the last finished step first, then those that came after it. */
export function stopSignals(state: AgentState): readonly StopSignal[] {
  return state.execution === null ? nothing : combinedSignals(state.execution);
}

/** The signal that decides. */
export function stopSignal(state: AgentState): StopSignal | null {
  return highest(stopSignals(state));
}

/** Why the run stops: the reason of the signal that decides; null while nothing speaks for stopping. */
export function stopReason(state: AgentState): StopReason | null {
  return stopSignal(state)?.reason ?? null;
}

const awaiting = memoize((step: AgentStep): readonly ToolExecution[] => {
  const found = step.toolExecutions.flatMap((execution) => {
    if (isWaiting(execution)) return [execution];
    return execution.status === 'running' && execution.childState
      ? pendingApprovals(execution.childState)
      : [];
  });
  return found.length === 0 ? nothing : found;
});

/** The calls that wait for the user's word, those of running subagents included. */
export function pendingApprovals(state: AgentState): readonly ToolExecution[] {
  const step = currentStep(state);
  return step === null ? nothing : awaiting(step);
}
