import type { AgentState, AgentStep, ExecutionState, ToolExecution } from '../../graph/types.ts';
import type { AgentChange, AgentEventType, AgentSignal } from '../events.ts';
import { withItem } from '../../kit/grown-list.ts';
import { indexOfCall } from '../state-at.ts';

/** The fields of the state that an event changes. */
export type Handler<Type extends AgentEventType> = (
  state: AgentState,
  event: Extract<AgentChange, { readonly type: Type }>,
) => Partial<AgentState>;

export type ChangeType = Exclude<AgentEventType, AgentSignal['type']>;
/** The table of handlers, one for each event. The compiler reports a missing one. */
export type Handlers = { readonly [Type in ChangeType]: Handler<Type> };
export type HandlersOf<Type extends ChangeType> = { readonly [Key in Type]: Handler<Key> };

export const nothing: Partial<AgentState> = {};

/** Changes the execution, if there is one. */
export function execution(
  state: AgentState,
  update: (execution: ExecutionState) => ExecutionState,
): Partial<AgentState> {
  return state.execution === null ? nothing : { execution: update(state.execution) };
}

/** Changes the step in flight, if there is one. */
export function step(state: AgentState, update: (step: AgentStep) => AgentStep): Partial<AgentState> {
  return execution(state, (current) =>
    current.currentStep === null ? current : { ...current, currentStep: update(current.currentStep) },
  );
}

/** Changes a call of the step in flight, if there is one of that id. */
export function call(
  state: AgentState,
  toolCallId: string,
  update: (call: ToolExecution) => ToolExecution,
): Partial<AgentState> {
  return step(state, (current) => withCall(current, toolCallId, update));
}

/**
 * Replaces one call. Copying the list is cheap; examining every entry is not, because a step may have thousands of
 * calls.
 */
export function withCall(
  current: AgentStep,
  toolCallId: string,
  update: (call: ToolExecution) => ToolExecution,
): AgentStep {
  const at = indexOfCall(current.toolExecutions, toolCallId);
  const entry = current.toolExecutions[at];
  if (entry === undefined) return current;
  return { ...current, toolExecutions: withItem(current.toolExecutions, at, update(entry)) };
}
