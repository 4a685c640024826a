import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';
import { withItem } from '../kit/memoize.ts';
import { breakHandlers, changeHandlers } from './apply/changes.ts';
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
  ...breakHandlers,
};

/**
 * Returns the state after an event; pure and total. Three kinds of events change nothing: signals, events already
 * applied (`seq` not above the state's own), and events of an absent agent.
 */
export function apply(state: AgentState, event: AgentEvent): AgentState {
  if (event.seq === null) return state;
  return event.path.length === 0 ? applyHere(state, event) : applyBelow(state, event, 0);
}

/** False for an event type of a later version, which `apply` would skip silently. */
export function isKnownEvent({ type }: { readonly type: string }): boolean {
  return Object.hasOwn(handlers, type);
}

/** The state after a list of events. */
export function fold(base: AgentState, events: readonly AgentEvent[]): AgentState {
  return events.reduce(apply, base);
}

function applyHere(state: AgentState, event: AgentChange): AgentState {
  if (event.seq <= state.seq) return state;
  const handler = handlers[event.type] as ((state: AgentState, event: AgentChange) => object) | undefined;
  const fields = handler?.(state, event);
  const updatedAt = Math.max(state.updatedAt, event.at);
  // Spreading the fields as a second object would double the time of a delta.
  return freeze(Object.assign({ ...state, seq: event.seq, updatedAt }, fields));
}

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
  const toolExecutions = withItem(step.toolExecutions, index, { ...call, childState });
  const next = { ...execution, currentStep: { ...step, toolExecutions } };
  return freeze({ ...state, updatedAt: Math.max(state.updatedAt, event.at), execution: next });
}
