import { growList, memoize, memoizeGrowing } from '../kit/memoize.ts';
import { shortId } from '../kit/hash.ts';
import { work } from '../kit/work.ts';
import { toolCalls, type Message, type MessagePart, type ToolCallPart } from '../graph/message.ts';
import { resultIds } from '../graph/pair-tool-calls.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import type { Feature } from '../run/slots.ts';

/** Gives the calls of a request the ids that providers know. */
export const wireIds: Feature = () => ({
  aroundModel: (call, next) => next({ ...call, wire: withWireIds(call.wire) }),
});

/**
 * The request as clients receive it. Calls have the provider's ids, or short ids of ours where that id is
 * absent or taken. Messages keep their identity between requests, so that clients can cache by it.
 */
export function withWireIds(request: InferenceRequest): InferenceRequest {
  return { ...request, messages: wireMessages(request.messages).wire };
}

/**
 * The request with the files of tools behind their results: a tool adds them to the conversation as an answer, where a
 * person sees them, and models read no files of an answer. Files whose call is not in the request come from a person.
 */
export function withResultFiles(request: InferenceRequest): InferenceRequest {
  const { messages } = request;
  if (callsWithFiles(messages).size === 0) return request;
  const placed = new Set<Message>();
  const beside = messages.map((message): Message => {
    if (message.role !== 'tool') return message;
    const files = resultIds(message).flatMap((id) => callsWithFiles(messages).get(id) ?? []);
    for (const file of files) placed.add(file);
    return files.length === 0 ? message : withFilesOf(message, files);
  });
  return {
    ...request,
    messages: beside.flatMap((message) =>
      placed.has(message) ? [] : [ofCall(message) === null ? message : asUser(message)],
    ),
  };
}

/** The id of the call whose files a message has; null for other messages. */
function ofCall({ role, parts, metadata }: Message): string | null {
  const id = metadata['tool_call_id'];
  const isOfCall = role === 'assistant' && parts.length > 0 && parts.every(({ type }) => type === 'file');
  return isOfCall && typeof id === 'string' ? id : null;
}

const callsWithFiles = memoizeGrowing<Message, ReadonlyMap<string, readonly Message[]>>(
  (before, messages, from) => {
    const found = messages.slice(from).flatMap((message) => {
      const id = ofCall(message);
      return id === null ? [] : [{ id, message }];
    });
    if (found.length === 0 && before !== null) return before;
    const calls = new Map(before);
    for (const { id, message } of found) calls.set(id, [...(calls.get(id) ?? []), message]);
    return calls;
  },
);

const asUser = memoize((message: Message): Message => ({ ...message, role: 'user' }));

const withFiles = new WeakMap<Message, { readonly files: readonly Message[]; readonly message: Message }>();

/** A message with the files behind their result; the same one for the same files, so that clients can cache. */
function withFilesOf(result: Message, files: readonly Message[]): Message {
  const known = withFiles.get(result);
  const isKnown = known?.files.length === files.length && files.every((file, at) => file === known.files[at]);
  if (known !== undefined && isKnown) return known.message;
  const parts = result.parts.flatMap((part) => [
    part,
    ...(part.type === 'tool-result'
      ? files.filter((file) => ofCall(file) === part.toolCallId).flatMap((file) => file.parts)
      : []),
  ]);
  const message = { ...result, parts };
  withFiles.set(result, { files, message });
  return message;
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
  return { wire: growList(before?.wire ?? [], added), answer };
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
