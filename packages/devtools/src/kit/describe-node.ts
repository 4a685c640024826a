import { AgentStep, type StepExecution, type ToolExecution } from '@vitrine/core';
import { preview } from './format.ts';

/** What a value is in the object graph, and its gist, on one line. */
export function describeNode(key: string, value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(preview(value, 120));
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `${listName(key, value)} (${value.length})`;
  const known = describeObject(key, value as Record<string, unknown>);
  return (
    known ?? `{ ${Object.keys(value).slice(0, 4).join(', ')}${Object.keys(value).length > 4 ? ', …' : ''} }`
  );
}

const listNames: Readonly<Record<string, string>> = {
  sections: 'MessageSection',
  messages: 'Message',
  outputMessages: 'Message',
  stepExecutions: 'StepExecution',
  toolExecutions: 'ToolExecution',
  stopSignals: 'StopSignal',
  overridden: 'StopSignal',
  errors: 'ErrorInfo',
  parts: 'MessagePart',
  pluginWrites: 'PluginWrite',
  extra: 'Message',
};

function listName(key: string, [first]: readonly unknown[]): string {
  // What was sent names its messages by where they stand.
  if (typeof first === 'object' && first !== null && 'section' in first) return 'SentRange';
  return listNames[key] ?? 'list';
}

const names: Readonly<Record<string, string>> = {
  context: 'AgentContext',
  store: 'MessageStore',
  continuation: 'ExecutionContinuation',
  inferenceResponse: 'InferenceResponse',
  llmConfig: 'LlmConfig',
  usage: 'Usage',
  childState: 'AgentState',
  plugins: 'PluginStates',
  sent: 'SentRequest',
};

/** Objects are known by their shape, so that they are named wherever they stand. */
function describeObject(key: string, value: Record<string, unknown>): string | null {
  if ('stepExecutions' in value) return `ExecutionState ${String(value['status'])}`;
  if ('step' in value && 'durationMs' in value) {
    const { step, durationMs } = value as StepExecution;
    return `StepExecution ${AgentStep.type(step)} ${Math.round(durationMs)} ms`;
  }
  if ('toolExecutions' in value) return `AgentStep ${AgentStep.type(value as AgentStep)}`;
  if ('toolCall' in value) {
    const { toolCall, status } = value as ToolExecution;
    return `ToolExecution ${toolCall.name} ${status}`;
  }
  if ('section' in value && 'count' in value)
    return `SentRange ${String(value['section'] ?? 'extra')} ${String(value['count'])}`;
  if ('role' in value && 'parts' in value)
    return `Message ${String(value['role'])} ${preview(firstText(value['parts']), 60)}`;
  if ('reason' in value && 'at' in value) return `StopSignal ${String(value['reason'])}`;
  if ('name' in value && 'messages' in value) return `MessageSection ${String(value['name'])}`;
  if ('message' in value && 'cause' in value) return `ErrorInfo ${preview(String(value['message']), 80)}`;
  if ('type' in value && typeof value['type'] === 'string' && /^[a-z-]+$/.test(value['type']))
    return `${value['type']} ${preview(value['text'] ?? value['toolName'] ?? '', 60)}`;
  return names[key] ?? null;
}

function firstText(parts: unknown): string {
  const found = Array.isArray(parts) ? (parts as { text?: unknown; toolName?: unknown }[]) : [];
  const part = found.find(({ text, toolName }) => typeof text === 'string' || typeof toolName === 'string');
  return String(part?.text ?? part?.toolName ?? '');
}
