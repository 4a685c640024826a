import { grown, memoize, memoizeGrowing } from '../../kit/memoize.ts';
import { work } from '../../kit/work.ts';
import { toolCalls, type Message, type MessagePart, type ToolCallPart } from '../../graph/message.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';

/**
 * The request as clients receive it. Calls have the provider's ids, or short ids of ours where that id is
 * absent or taken. Messages keep their identity between requests, so that clients can cache by it.
 */
export function withWireIds(request: InferenceRequest): InferenceRequest {
  return { ...request, messages: wireMessages(request.messages).wire };
}

/** The wire form of a list, and the index of its last answer; -1 when it has none. */
type Wired = { readonly wire: readonly Message[]; readonly answer: number };

// An answer may be followed by thousands of results, and a conversation may have thousands of messages without any.
const wireMessages = memoizeGrowing<Message, Wired>((before, messages, from) => {
  let answer = before?.answer ?? -1;
  const added = messages.slice(from).map((message, index) => {
    if (message.role === 'tool') return wireResults(message, messages, answer);
    if (message.role !== 'assistant') return message;
    answer = from + index;
    return wireCalls(message);
  });
  return { wire: grown(before?.wire ?? [], added), answer };
});

/** Index of the last answer before an index; -1 when there is none. */
function answerBefore(messages: readonly Message[], before: number): number {
  let at = before - 1;
  while (at >= 0 && messages[at]?.role !== 'assistant') at--;
  work.units += before - at;
  return at;
}

const wireCalls = memoize((message: Message): Message => {
  const parts = message.parts.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: wireId(part) } : part,
  );
  return message.parts.some((part) => part.type === 'tool-call') ? { ...message, parts } : message;
});

const results = new WeakMap<Message, { key: string; message: Message }>();

function wireResults(message: Message, messages: readonly Message[], answer: number): Message {
  const idOf = (part: MessagePart): string =>
    part.type === 'tool-result' ? nameOf(part.toolCallId, messages, answer) : '';
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

/** The id of a call on the wire. The search goes upwards from an answer, which usually holds the call. */
function nameOf(toolCallId: string, messages: readonly Message[], answer: number): string {
  for (let at = answer; at >= 0; at = answerBefore(messages, at)) {
    const name = nameIn(messages[at] as Message, toolCallId);
    if (name !== undefined) return name;
  }
  return shortId(toolCallId);
}

/** The most parts that are searched one by one. A map for each answer would take more memory than its calls. */
const fewParts = 16;

function nameIn(message: Message, toolCallId: string): string | undefined {
  if (message.parts.length > fewParts) return namesIn(message).get(toolCallId);
  const call = toolCalls(message).find((part) => part.toolCallId === toolCallId);
  return call && wireId(call);
}

/** Wire ids of the calls of a message, by our ids. */
const namesIn = memoize(
  (message: Message): ReadonlyMap<string, string> =>
    new Map(toolCalls(message).map((part) => [part.toolCallId, wireId(part)])),
);

function wireId({ toolCallId, providerCallId }: ToolCallPart): string {
  return providerCallId ?? shortId(toolCallId);
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Nine letters and digits, a form that every provider accepts. Equal ids give equal results, and all
 * characters count.
 */
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
