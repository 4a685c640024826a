import type { ChatMessage, ChatToolCall } from '../../agent/chat-message.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolCallPart, ToolResultPart, Message } from '../../graph/message.ts';
import { toolErrorPrefix, toolResultText } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import type { JsonValue } from '../../kit/json.ts';

/** The sources of a call's view: its execution, and its result among the messages. */
export type CallSource = { readonly run: ToolExecution | null; readonly result: ToolResultPart | null };

/** Finds the sources of a call by its id; null when there are none. */
export type CallLookup = (toolCallId: string) => CallSource | null;

type CacheNode = { view: ChatMessage | null; next: WeakMap<object, CacheNode> | null };
const cache = new WeakMap<Message, CacheNode>();
const nothingKnown: object = {};

/**
 * Returns the message with the outcomes of its calls; a message without calls is its own view. The same object while
 * the message and the sources of its calls are the same objects, also for several sessions that share it.
 */
export function withCalls(message: Message, find: CallLookup): ChatMessage {
  if (!hasCalls(message)) return message as Message & ChatMessage;
  const sources = message.parts.flatMap((part) =>
    part.type === 'tool-call' ? [dropUnneeded(find(part.toolCallId))] : [],
  );
  let node = cache.get(message);
  if (node === undefined) cache.set(message, (node = { view: null, next: null }));
  for (const source of sources) {
    node = below(below(node, source?.run), source?.result);
  }
  return (node.view ??= viewOf(message, sources));
}

export function hasCalls(message: Message): boolean {
  return message.role === 'assistant' && message.parts.some(({ type }) => type === 'tool-call');
}

/** Drops an execution that adds nothing to the result, so that the view keeps its reference. */
function dropUnneeded(source: CallSource | null): CallSource | null {
  if (source === null || source.run === null || source.result === null) return source;
  const { progress, approval, childState, error } = source.run;
  const isRedundant = progress === null && approval === null && childState === null && error === null;
  return isRedundant ? { run: null, result: source.result } : source;
}

function below(node: CacheNode, key: object | null | undefined): CacheNode {
  const found = (node.next ??= new WeakMap()).get(key ?? nothingKnown);
  if (found !== undefined) return found;
  const fresh: CacheNode = { view: null, next: null };
  node.next.set(key ?? nothingKnown, fresh);
  return fresh;
}

function viewOf(message: Message, sources: readonly (CallSource | null)[]): ChatMessage {
  let at = 0;
  const parts = message.parts.flatMap((part): unknown[] => {
    if (part.type === 'tool-result') return [];
    return part.type === 'tool-call' ? [callView(part, sources[at++] ?? null)] : [part];
  });
  return { ...message, parts } as unknown as ChatMessage;
}

/** Creates the view of a call. A result among the messages is final: nothing later changes the outcome. */
function callView(part: ToolCallPart, source: CallSource | null): ChatToolCall {
  const { run = null, result = null } = source ?? {};
  return {
    ...part,
    status: result?.outcome ?? run?.status ?? 'requested',
    output: outputOf(run, result),
    error: errorOf(run, result),
    durationMs: result === null ? (run?.durationMs ?? null) : result.durationMs,
    progress: run?.progress ?? null,
    approval: run?.approval ?? null,
    childState: run?.childState ?? null,
  } as ChatToolCall;
}

function outputOf(run: ToolExecution | null, result: ToolResultPart | null): JsonValue {
  if (result !== null) return result.outcome === 'completed' ? result.output : null;
  return run?.status === 'completed' ? (run.result ?? null) : null;
}

/** The error of a call; after its run as far as the result tells. */
function errorOf(run: ToolExecution | null, result: ToolResultPart | null): ErrorInfo | null {
  if (result === null || run?.error) return run?.error ?? null;
  if (result.outcome === 'completed') return null;
  const text = toolResultText(result.output);
  const message = text.startsWith(toolErrorPrefix) ? text.slice(toolErrorPrefix.length) : text;
  return { name: 'AgentError', message, code: `tool-${result.outcome}`, data: {}, cause: null };
}
