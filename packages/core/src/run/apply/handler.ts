import type { AgentState, AgentStep, ExecutionState, ToolExecution } from '../../graph/types.ts';
import type { AgentChange, ChangeType } from '../events.ts';
import { replacedAt, withItem } from '../../kit/memoize.ts';
import { indexOfCall } from '../state-at.ts';
import { tag, type ToolTrace } from '../../graph/agent-state/transitions.ts';
import { type as stepType } from '../../graph/agent-step.ts';
import { append, type MessageStore, section, withSection } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';

/** The fields of the state that an event changes. */
export type Handler<Type extends ChangeType> = (
  state: AgentState,
  event: Extract<AgentChange, { readonly type: Type }>,
) => Partial<AgentState>;

/** The table of handlers, one for each event. The compiler reports a missing one. */
export type Handlers = { readonly [Type in ChangeType]: Handler<Type> };

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

/** Replaces one call by its index: a step may have thousands, and examining each is not cheap. */
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

/**
 * The step with its output messages tagged, and the store that holds them. Messages of `known` ids are in the store
 * already, near its end. They are replaced, or moved when the answer became a trace. A message that was removed
 * meanwhile is not added again.
 */
export function placeOutput(
  state: AgentState,
  step: AgentStep,
  toolTrace: ToolTrace,
  known: ReadonlySet<string>,
): { step: AgentStep; store: MessageStore } {
  const isTrace = stepType(step) !== 'final-response';
  const executionId = state.execution?.executionId ?? '';
  const tags = { step_id: step.id, execution_id: executionId, agent_id: state.agentId };
  const outputMessages = step.outputMessages.map((message) => tag(message, tags, isTrace));
  const target = toolTrace === 'separate' && isTrace ? 'execution_buffer' : 'messages';
  let { store } = state.context;
  const fresh: Message[] = [];
  for (const message of outputMessages) {
    if (known.has(message.id)) store = replaceMessage(store, message, target);
    else fresh.push(message);
  }
  return { step: { ...step, outputMessages }, store: append(store, fresh, target) };
}

function replaceMessage(store: MessageStore, message: Message, target: string): MessageStore {
  for (const name of ['messages', 'execution_buffer']) {
    const messages = section(store, name);
    const at = messages.findLastIndex(({ id }) => id === message.id);
    if (at < 0) continue;
    if (name === target && messages[at] === message) return store;
    if (name === target) return withSection(store, name, replacedAt(messages, at, message));
    const others = messages.filter((_, index) => index !== at);
    return append(withSection(store, name, others), [message], target);
  }
  return store;
}

export function withMessageReplaced(store: MessageStore, message: Message): MessageStore {
  for (const { name, messages } of store.sections) {
    const at = messages.findLastIndex(({ id }) => id === message.id);
    if (at >= 0) return withSection(store, name, replacedAt(messages, at, message));
  }
  return store;
}
