import { AgentStep, type StepExecution, type ToolExecution } from '@vitrine/core';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { Texts } from '../texts.ts';
import { preview } from './format.ts';
import { childrenOf, Unread } from './tree-children.ts';

/**
 * Describes a value of the object graph on one line: its kind and a summary. Never throws.
 * @param path The names that lead to the value; the last one is its own.
 */
export function describeNode(path: readonly string[], value: unknown, texts: Texts): string {
  const key = path.at(-1) ?? '';
  try {
    const leaf = describeValue(path, value, texts);
    if (leaf !== null) return leaf;
    if (Array.isArray(value)) return `${listName(key, value) ?? texts.values.list} (${value.length})`;
    const names = Object.keys(value as object);
    const previews = names.slice(0, shownNames).map((name) => redactText(name, 'key'));
    const gist = `{ ${previews.join(', ')}${names.length > shownNames ? ', …' : ''} }`;
    if (names.length > mostFields) return gist;
    return describeObject(key, readable(value as object), texts) ?? gist;
  } catch {
    return texts.values.notReadable;
  }
}

const shownNames = 4;
/** Maximum number of fields of an object of the state; larger objects are not recognised. */
const mostFields = 40;

/** The fields of an object that can be read without calling a getter. */
function readable(value: object): Record<string, unknown> {
  return Object.fromEntries(childrenOf(value).filter(([, child]) => Unread.reason(child) === null));
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

function listName(key: string, [first]: readonly unknown[]): string | null {
  // A sent range names its section, so it can be told from a message.
  if (typeof first === 'object' && first !== null && 'section' in first) return 'SentRange';
  return listNames[key] ?? null;
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

/** Recognises objects of the state by their fields, so that they get a name anywhere in the tree. */
function describeObject(key: string, value: Record<string, unknown>, { formats }: Texts): string | null {
  if ('stepExecutions' in value) return `ExecutionState ${String(value['status'])}`;
  if ('step' in value && 'durationMs' in value) {
    const { step, durationMs } = value as StepExecution;
    return `StepExecution ${AgentStep.type(step)} ${formats.duration(durationMs)}`;
  }
  if ('toolExecutions' in value) return `AgentStep ${AgentStep.type(value as AgentStep)}`;
  if ('toolCall' in value) {
    const { toolCall, status } = value as ToolExecution;
    return `ToolExecution ${toolCall.name} ${status}`;
  }
  if ('section' in value && 'count' in value)
    return `SentRange ${String(value['section'] ?? 'extra')} ${String(value['count'])}`;
  if ('role' in value && 'parts' in value)
    return `Message ${String(value['role'])} ${preview(firstText(value['parts']), ['text'], 60)}`;
  if ('reason' in value && 'at' in value) return `StopSignal ${String(value['reason'])}`;
  if ('name' in value && 'messages' in value) return `MessageSection ${String(value['name'])}`;
  if ('message' in value && 'cause' in value)
    return `ErrorInfo ${preview(String(value['message']), ['message'], 80)}`;
  if ('type' in value && typeof value['type'] === 'string' && /^[a-z-]+$/.test(value['type']))
    return `${value['type']} ${preview(String(value['text'] ?? value['toolName'] ?? ''), ['text'], 60)}`;
  return names[key] ?? null;
}

function firstText(parts: unknown): string {
  const found = Array.isArray(parts) ? (parts as { text?: unknown; toolName?: unknown }[]) : [];
  const part = found.find(({ text, toolName }) => typeof text === 'string' || typeof toolName === 'string');
  return String(part?.text ?? part?.toolName ?? '');
}

const longestText = 120;

/** Describes a primitive or a value that JSON cannot hold, on one line; null for lists and plain objects. */
function describeValue(path: readonly string[], value: unknown, texts: Texts): string | null {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(preview(value, path, longestText));
    case 'bigint':
      return `${preview(value, path, longestText)}n`;
    case 'function':
      return `ƒ ${value.name}()`;
    case 'object':
      return value === null ? 'null' : describeInstance(path, value, texts);
    default:
      return preview(value, path, longestText);
  }
}

function describeInstance(path: readonly string[], value: object, { values }: Texts): string | null {
  const unread = Unread.reason(value);
  if (unread !== null) {
    const why = unread === 'getter' ? values.getter : values.throws(unread.message);
    return `(${preview(why, path, longestText)})`;
  }
  if (value instanceof Map) return `Map (${value.size})`;
  if (value instanceof Set) return `Set (${value.size})`;
  if (value instanceof RegExp) return preview(String(value), path, longestText);
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? values.invalidDate : `Date ${value.toISOString()}`;
  if (value instanceof Error)
    return preview(`${value.name}: ${value.message}`, [...path, 'message'], longestText);
  return null;
}
