import { erasedMessage } from '@vitrine/core/internal/graph/follow-changes';
import type { MessageStore } from '@vitrine/core/internal/graph/message-store';
import type { Message } from '@vitrine/core/internal/graph/message';
import type { AgentState, AgentStep, SentRequest, ToolExecution } from '@vitrine/core/internal/graph/types';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { AgentChange, AgentEvent } from '@vitrine/core/internal/run/events';
import type { TabDocument } from '@vitrine/core/internal/session/machine/session-model';
import type { LinkMessage } from './protocol.ts';

/**
 * A message of a link for a follower who sees the chat and not what its models are sent: system prompts, descriptions of
 * tools, formats, and the messages that hooks and plugins add for models are left out. Ids and hashes stay, so that later
 * events fit the state.
 */
export function withoutPrompts(message: LinkMessage): LinkMessage {
  switch (message.type) {
    case 'document':
      return { ...message, document: documentOf(message.document) };
    case 'records':
      return { ...message, records: eventsOf(message.records), preview: eventsOf(message.preview) };
    case 'batch':
      return { ...message, events: eventsOf(message.events) };
    default:
      return message;
  }
}

function documentOf({ state, tree, ...document }: TabDocument): TabDocument {
  const branches = tree.branches.map((branch) => ({ ...branch, state: stateOf(branch.state) }));
  const checkpoints = tree.checkpoints.map((checkpoint) => ({
    ...checkpoint,
    store: storeOf(checkpoint.store),
  }));
  return { ...document, state: stateOf(state), tree: { ...tree, branches, checkpoints } };
}

function stateOf(state: AgentState): AgentState {
  const { context, execution, retained, texts } = state;
  return {
    ...state,
    context: { ...context, systemPrompt: '', store: storeOf(context.store) },
    texts: withoutTexts(texts),
    retained: Object.fromEntries(
      Object.entries(retained).map(([key, message]) => [key, eraseMemoized(message)]),
    ),
    execution: execution && {
      ...execution,
      stepExecutions: execution.stepExecutions.map((done) => ({ ...done, step: stepOf(done.step) })),
      currentStep: execution.currentStep && stepOf(execution.currentStep),
    },
  };
}

function withoutTexts(texts: AgentState['texts']): AgentState['texts'] {
  return Object.fromEntries(Object.keys(texts).map((hash) => [hash, null]));
}

function stepOf(step: AgentStep): AgentStep {
  const toolExecutions = step.toolExecutions.map(callOf);
  return { ...step, sent: step.sent && sentOf(step.sent), toolExecutions };
}

function callOf(call: ToolExecution): ToolExecution {
  return call.childState === null ? call : { ...call, childState: stateOf(call.childState) };
}

function sentOf(sent: SentRequest): SentRequest {
  return { ...sent, extra: sent.extra.map(eraseMemoized) };
}

/** One object for each message, so that lists that share messages still do. */
const eraseMemoized = memoize(erasedMessage);

/** The sections that a chat shows. The others hold what hooks and plugins tell models. */
const shown: ReadonlySet<string> = new Set(['buffer', 'messages', 'execution_buffer']);

function storeOf(store: MessageStore): MessageStore {
  const sections = store.sections.map((section) => ({
    ...section,
    messages: messagesOf(section.name, section.messages),
  }));
  return { ...store, sections };
}

function messagesOf(section: string, messages: readonly Message[]): readonly Message[] {
  const isHidden = ({ role }: Message): boolean => role === 'system' || !shown.has(section);
  return messages.some(isHidden)
    ? messages.map((message) => (isHidden(message) ? eraseMemoized(message) : message))
    : messages;
}

function eventsOf<Event extends AgentEvent>(events: readonly Event[]): readonly Event[] {
  return events.map((event) => (event.seq === null ? event : (eventOf(event as AgentChange) as Event)));
}

function eventOf(event: AgentChange): AgentChange {
  switch (event.type) {
    case 'inference-start': {
      const { replaced, ...start } = event;
      const { prompt: _prompt, ...fields } = replaced ?? { hook: '', fields: [] };
      const replacement = replaced === undefined ? {} : { replaced: fields };
      return { ...start, ...replacement, sent: sentOf(event.sent), texts: withoutTexts(event.texts) };
    }
    case 'context-change':
      return event.systemPrompt === undefined ? event : { ...event, systemPrompt: '' };
    case 'subagent-start':
      return { ...event, child: stateOf(event.child) };
    case 'usage-charge': {
      const { result: _result, ...charge } = event;
      return charge;
    }
    case 'message-add':
      return { ...event, message: messagesOf(event.section, [event.message])[0] ?? event.message };
    case 'section-change': {
      const messages = (list: readonly Message[]): readonly Message[] => messagesOf(event.name, list);
      const added = event.added.map((entry) => ({ ...entry, messages: messages(entry.messages) }));
      return { ...event, put: messages(event.put), added };
    }
    default:
      return event;
  }
}
