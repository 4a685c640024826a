import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';
import { changeHandlers } from './apply/changes.ts';
import { executionHandlers } from './apply/execution.ts';
import type { Handlers } from './apply/handler.ts';
import { inferenceHandlers } from './apply/inference.ts';
import { stepHandlers } from './apply/steps.ts';
import { toolHandlers } from './apply/tools.ts';
import type { AgentChange, AgentEvent } from './events.ts';
import { indexOfCall } from './state-at.ts';

const handlers: Handlers = {
  ...executionHandlers,
  ...stepHandlers,
  ...inferenceHandlers,
  ...toolHandlers,
  ...changeHandlers,
};

/**
 * The state after an event: pure and total. An event that the state has seen already (`seq` not above its own), one
 * for an agent that is not there, and a signal change nothing.
 */
export function apply(state: AgentState, event: AgentEvent): AgentState {
  if (event.seq === null) return state;
  return event.path.length === 0 ? applyHere(state, event) : applyBelow(state, event, 0);
}

/** False for what a later version has written: it would be left out without a word. */
export function isKnownEvent({ type }: { readonly type: string }): boolean {
  return Object.hasOwn(handlers, type);
}

/** The state that a list of events leads to. */
export function fold(base: AgentState, events: readonly AgentEvent[]): AgentState {
  return events.reduce(apply, base);
}

function applyHere(state: AgentState, event: AgentChange): AgentState {
  if (event.seq <= state.seq) return state;
  const handler = handlers[event.type] as ((state: AgentState, event: AgentChange) => object) | undefined;
  const fields = handler?.(state, event);
  const updatedAt = Math.max(state.updatedAt, event.at);
  // Spread as a second object, the fields would take as long as all else that is done with a delta.
  return freeze(Object.assign({ ...state, seq: event.seq, updatedAt }, fields));
}

/** A child's event folds into the call that started it. */
function applyBelow(state: AgentState, event: AgentChange, depth: number): AgentState {
  const { execution } = state;
  const step = execution?.currentStep;
  if (!execution || !step) return state;
  const index = indexOfCall(step.toolExecutions, event.path[depth] ?? '');
  const call = step.toolExecutions[index];
  if (!call?.childState) return state;
  const isLast = depth + 1 === event.path.length;
  const childState = isLast
    ? applyHere(call.childState, event)
    : applyBelow(call.childState, event, depth + 1);
  if (childState === call.childState) return state;
  const toolExecutions = step.toolExecutions.slice();
  toolExecutions[index] = { ...call, childState };
  const next = { ...execution, currentStep: { ...step, toolExecutions } };
  return freeze({ ...state, updatedAt: Math.max(state.updatedAt, event.at), execution: next });
}
