import type { ToolTrace } from '../../graph/agent-state/transitions.ts';
import { type as stepType } from '../../graph/agent-step.ts';
import { append, type MessageStore, section, withSection } from '../../graph/message-store.ts';
import { replacedAt } from '../../kit/grown-list.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState, AgentStep } from '../../graph/types.ts';

/**
 * The step with its output messages tagged, and the store that holds them. Messages of `known` ids are in the store
 * already, near its end. They are replaced, or moved when the answer became a trace. A message that was removed
 * meanwhile is not added again.
 */
export function placed(
  state: AgentState,
  step: AgentStep,
  toolTrace: ToolTrace,
  known: ReadonlySet<string>,
): { step: AgentStep; store: MessageStore } {
  const isTrace = stepType(step) !== 'final-response';
  const tags = {
    step_id: step.id,
    execution_id: state.execution?.executionId ?? '',
    agent_id: state.agentId,
    ...(isTrace ? { is_trace: true } : {}),
  };
  const outputMessages = step.outputMessages.map((message) => tagged(message, tags));
  const target = toolTrace === 'separate' && isTrace ? 'execution_buffer' : 'messages';
  let { store } = state.context;
  const fresh: Message[] = [];
  for (const message of outputMessages) {
    if (known.has(message.id)) store = replaced(store, message, target);
    else fresh.push(message);
  }
  return { step: { ...step, outputMessages }, store: append(store, fresh, target) };
}

function tagged(message: Message, tags: Message['metadata']): Message {
  const { is_trace: before, ...others } = message.metadata;
  const isTagged =
    before === tags['is_trace'] && Object.keys(tags).every((key) => message.metadata[key] === tags[key]);
  return isTagged ? message : { ...message, metadata: { ...others, ...tags } };
}

function replaced(store: MessageStore, message: Message, target: string): MessageStore {
  for (const name of ['messages', 'execution_buffer']) {
    const messages = section(store, name);
    const at = messages.findLastIndex(({ id }) => id === message.id);
    if (at < 0) continue;
    if (name === target && messages[at] === message) return store;
    if (name === target) return withSection(store, name, replacedAt(messages, at, message));
    return append(withSection(store, name, messages.toSpliced(at, 1)), [message], target);
  }
  return store;
}

/** The store with one message replaced in its place. */
export function withMessageReplaced(store: MessageStore, message: Message): MessageStore {
  for (const { name, messages } of store.sections) {
    const at = messages.findLastIndex(({ id }) => id === message.id);
    if (at >= 0) return withSection(store, name, replacedAt(messages, at, message));
  }
  return store;
}
