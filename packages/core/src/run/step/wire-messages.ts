import { memoize } from '../../kit/memoize.ts';
import type { MessagePart, ToolCallPart } from '../../graph/message-part.ts';
import type { Message } from '../../graph/message.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';

/**
 * The request as clients see it: calls are named as the provider named them, or by nine letters and digits of ours where
 * it gave no name that is its own. Messages keep their identity from request to request, so that clients may cache.
 */
export function withWireIds(request: InferenceRequest): InferenceRequest {
  const names = new Map<string, string>();
  const messages = request.messages.map((message) => wireMessage(message, names));
  return { ...request, messages };
}

function wireMessage(message: Message, names: Map<string, string>): Message {
  if (message.role === 'assistant') {
    for (const part of message.parts) if (part.type === 'tool-call') names.set(part.toolCallId, wireId(part));
    return wireCalls(message);
  }
  return message.role === 'tool' ? wireResults(message, names) : message;
}

const wireCalls = memoize((message: Message): Message => {
  const parts = message.parts.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: wireId(part) } : part,
  );
  return message.parts.some((part) => part.type === 'tool-call') ? { ...message, parts } : message;
});

const results = new WeakMap<Message, { key: string; message: Message }>();

function wireResults(message: Message, names: ReadonlyMap<string, string>): Message {
  const idOf = (part: MessagePart): string =>
    part.type === 'tool-result' ? (names.get(part.toolCallId) ?? shortId(part.toolCallId)) : '';
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
