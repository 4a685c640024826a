import type { Message } from '@vitrine/core/internal/graph/message';
import type { MessageStore } from '@vitrine/core/internal/graph/message-store';
import type { AgentState, AgentStep, ToolExecution } from '@vitrine/core/internal/graph/types';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';

/** A session of a page without the principals that it names: only a server knows who gave a command. */
export function withoutNames(record: SessionRecord): SessionRecord {
  return {
    ...record,
    state: withoutNamesIn(record.state),
    branches: record.branches.map((branch) => ({ ...branch, state: withoutNamesIn(branch.state) })),
    checkpoints: record.checkpoints.map((point) => ({ ...point, store: unnamedStore(point.store) })),
    queue: record.queue.map(({ by: _by, ...message }) => message),
  };
}

export function withoutName(event: AgentChange): AgentChange {
  const { by: _by, ...rest } = event as AgentChange & { readonly by?: string };
  if (rest.type === 'message-add') return { ...rest, message: unnamedMessage(rest.message) };
  if (rest.type !== 'stop-signal') return rest as AgentChange;
  const { by: _stoppedBy, ...context } = rest.signal.context;
  return { ...rest, signal: { ...rest.signal, context } };
}

function withoutNamesIn(state: AgentState): AgentState {
  const { execution, context } = state;
  const store = unnamedStore(context.store);
  if (execution === null) return { ...state, context: { ...context, store } };
  const { by: _by, ...rest } = execution;
  const stepExecutions = rest.stepExecutions.map((entry) => ({ ...entry, step: unnamedStep(entry.step) }));
  const currentStep = rest.currentStep && unnamedStep(rest.currentStep);
  return {
    ...state,
    context: { ...context, store },
    execution: { ...rest, stepExecutions, currentStep } as AgentState['execution'],
  };
}

function unnamedStore({ sections }: MessageStore): MessageStore {
  return {
    sections: sections.map(({ name, messages }) => ({ name, messages: messages.map(unnamedMessage) })),
  };
}

function unnamedMessage(message: Message): Message {
  if (!Object.hasOwn(message.metadata, 'by')) return message;
  const { by: _by, ...metadata } = message.metadata;
  return { ...message, metadata };
}

function unnamedStep(step: AgentStep): AgentStep {
  return { ...step, toolExecutions: step.toolExecutions.map(unnamedCall) };
}

function unnamedCall(call: ToolExecution): ToolExecution {
  if (call.approval?.by === undefined) return call;
  const { by: _by, ...approval } = call.approval;
  return { ...call, approval };
}
