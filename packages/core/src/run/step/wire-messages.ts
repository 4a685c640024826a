import { grown } from '../../kit/grown-list.ts';
import { memoize } from '../../kit/memoize.ts';
import { memoizeGrowing } from '../../kit/memoize-growing.ts';
import type { MessagePart, ToolCallPart } from '../../graph/message-part.ts';
import type { Message } from '../../graph/message.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';

/**
 * The request as clients see it: calls are named as the provider named them, or by nine letters and digits of ours where
 * it gave no name that is its own. Messages keep their identity from request to request, so that clients may cache.
 */
export function withWireIds(request: InferenceRequest): InferenceRequest {
  return { ...request, messages: wireMessages(request.messages) };
}

const wireMessages = memoizeGrowing<Message, readonly Message[]>((before, messages, from) =>
  grown(
    before ?? [],
    messages.slice(from).map((message, index) => wireMessage(message, messages, from + index)),
  ),
);

function wireMessage(message: Message, messages: readonly Message[], at: number): Message {
  if (message.role === 'assistant') return wireCalls(message);
  return message.role === 'tool' ? wireResults(message, messages, at) : message;
}

const wireCalls = memoize((message: Message): Message => {
  const parts = message.parts.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: wireId(part) } : part,
  );
  return message.parts.some((part) => part.type === 'tool-call') ? { ...message, parts } : message;
});

const results = new WeakMap<Message, { key: string; message: Message }>();

function wireResults(message: Message, messages: readonly Message[], at: number): Message {
  const idOf = (part: MessagePart): string =>
    part.type === 'tool-result' ? nameOf(part.toolCallId, messages, at) : '';
  const key = message.parts.map(idOf).join(' ');
  const known = results.get(message);
  if (known?.key === key) return known.message;
  const parts = message.parts.map((part) =>
    part.type === 'tool-result' ? { ...part, toolCallId: idOf(part) } : part,
  );
  const wire = { ...message, parts };
  results.set(message, { key, message: wire });
  return wire;
}

/** What the call is named; it is looked for upwards from its result, which mostly follows it. */
function nameOf(toolCallId: string, messages: readonly Message[], at: number): string {
  for (let index = at - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const call = message.parts.findLast(
      (part): part is ToolCallPart => part.type === 'tool-call' && part.toolCallId === toolCallId,
    );
    if (call !== undefined) return wireId(call);
  }
  return shortId(toolCallId);
}

function wireId({ toolCallId, providerCallId }: ToolCallPart): string {
  return providerCallId ?? shortId(toolCallId);
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Nine letters and digits, which every provider accepts: the same for the same id, spread over all of its characters. */
export function shortId(id: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  let value = (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0);
  let text = '';
  for (let count = 0; count < 9; count++) {
    text += alphabet[Number(value % 36n)];
    value /= 36n;
  }
  return text;
}
