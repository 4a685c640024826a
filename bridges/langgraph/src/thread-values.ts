import { customParts } from '@vitrine/ag-ui/internal/agent-writer';
import type { RemoteEvent } from '@vitrine/ag-ui/internal/remote/remote-run';
import { readJson } from '@vitrine/core/internal/kit/json';
import { textOf, textOrNull } from '@vitrine/core/internal/kit/text';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { type Foreign, foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { toldMessages } from './thread-messages.ts';

/** An event of the Agent Streaming Protocol. */
export type ThreadEvent = {
  readonly type: string;
  /** The namespace: nodes and tasks from the root to the one that speaks. */
  readonly place: readonly string[];
  readonly node: string;
  readonly data: Foreign;
  readonly seq: number;
};

export function eventOf({ method, params, seq }: Foreign): ThreadEvent {
  const { namespace, node, data: given } = foreign(params);
  const channel = textOf(method) || 'no event';
  const data = foreign(given);
  const hasEvents = channel === 'messages' || channel === 'tools' || channel === 'lifecycle';
  return {
    type: hasEvents ? `${channel}/${textOf(data['event'])}` : channel,
    place: Array.isArray(namespace) ? namespace.map(String) : [],
    node: textOf(node),
    data,
    seq: typeof seq === 'number' ? seq : 0,
  };
}

export function keyOf(place: readonly string[]): string {
  return place.join('/');
}

export function idOf({ tool_call_id: id }: Foreign): string {
  return textOf(id);
}

/** A file of an answer. */
export function fileIn({
  type,
  url,
  base64,
  data,
  mime_type,
  mimeType,
  name,
}: Foreign): readonly RemoteEvent[] {
  if (!/^(image|audio|video|file)$/.test(textOf(type))) return [];
  const bytes = textOf(base64) || textOf(data);
  const where = bytes === '' ? { url: textOf(url) } : { data: bytes };
  const mediaType = textOf(mime_type) || textOf(mimeType) || 'application/octet-stream';
  const value = { mediaType, filename: textOrNull(name), ...where };
  return [{ type: 'CUSTOM', name: customParts.file, value }];
}

/** The reason of an answer that was cut. */
export function reasonIn({ reason }: Foreign): Foreign {
  if (reason === 'length') return { finishReason: reason };
  return reason === 'content_filter' ? { finishReason: 'content-filter' } : {};
}

export function usageIn(usage: Foreign): Foreign {
  if (Object.keys(usage).length === 0) return {};
  const { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens } = usage;
  const { cache_read: cachedInputTokens, cache_creation: cacheWriteInputTokens } = foreign(
    usage['input_token_details'],
  );
  const { reasoning: reasoningTokens } = foreign(usage['output_token_details']);
  const figures = {
    inputTokens,
    outputTokens,
    totalTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
    reasoningTokens,
  };
  return { usage: figures };
}

/** The error of a run, which servers of LangGraph.js tell as JSON with its name. */
export function errorIn({ error }: Foreign): string {
  const text = textOf(error);
  const read = readJson(text);
  return (read.ok && textOf(foreign(read.value)['message'])) || text;
}

/** The state of the graph, and its messages. */
export function sharedIn({ messages, ...snapshot }: Foreign): readonly RemoteEvent[] {
  return [
    ...(Object.keys(snapshot).length === 0 ? [] : [{ type: 'STATE_SNAPSHOT', snapshot }]),
    ...(Array.isArray(messages)
      ? [{ type: 'MESSAGES_SNAPSHOT', messages: messages.flatMap(toldMessages) }]
      : []),
  ];
}

/** The result of a call, whose output is a tool message, a command with one, or any value. */
export function resultOf(toolCallId: string, output: unknown): RemoteEvent {
  const { messages } = foreign(foreign(output)['update']);
  const listed: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const message = [output, ...listed].map(foreign).find(({ type }) => type === 'tool');
  if (message?.['status'] === 'error') return endOf(toolCallId, 'failed', message['content']);
  const content = message === undefined ? output : message['content'];
  if (typeof content === 'string' || message !== undefined)
    return { type: 'TOOL_CALL_RESULT', toolCallId, content };
  return { type: 'TOOL_CALL_RESULT', toolCallId, metadata: { vitrine: { result: toJson(content) } } };
}

export function endOf(toolCallId: string, outcome: 'failed' | 'interrupted', content: unknown): RemoteEvent {
  return { type: 'TOOL_CALL_RESULT', toolCallId, content, metadata: { vitrine: { outcome } } };
}
