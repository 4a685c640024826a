import type { MessagePart, Message } from '../graph/message.ts';
import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { jsonText } from '../model/request-body.ts';

const encoder = new TextEncoder();
const bytesOfJson = memoize((value: object) => encoder.encode(jsonText(value)).length);

const bytesOfMessages = memoizeGrowing<Message, number>((before, messages, from) =>
  messages.slice(from).reduce((sum, { parts }) => sum + bytesOfJson(parts), before ?? 0),
);

/**
 * Bytes of a request in UTF-8. Messages and tools are memoised, because they stay the same between
 * requests.
 */
export function sentBytes({ messages, tools, responseFormat }: InferenceRequest): number {
  const fixed = bytesOfJson(tools) + (responseFormat === null ? 0 : bytesOfJson(responseFormat));
  return fixed + bytesOfMessages(messages);
}

/**
 * Bytes of the text of a request. Files such as images are left out: they have many bytes and few tokens.
 */
export function sentTextBytes(request: InferenceRequest): number {
  return sentBytes(request) - bytesOfFiles(request.messages);
}

/** True when the request has files. Their tokens do not depend on their bytes. */
export function hasFiles({ messages }: InferenceRequest): boolean {
  return countOfFiles(messages) > 0;
}

const isText = /^(text\/|application\/json\b)/i;
const bytesOfFiles = memoizeGrowing<Message, number>((before, messages, from) =>
  messages.slice(from).reduce((sum, { parts }) => {
    const data = parts.map((part) =>
      part.type === 'file' && !isText.test(part.mediaType) ? part.data : null,
    );
    return sum + data.reduce((bytes, text) => bytes + (text?.length ?? 0), 0);
  }, before ?? 0),
);
const countOfFiles = memoizeGrowing<Message, number>((before, messages, from) =>
  messages
    .slice(from)
    .reduce((sum, { parts }) => sum + parts.filter(({ type }) => type === 'file').length, before ?? 0),
);

/** Bytes of a model's output in UTF-8. */
export function receivedBytes(parts: readonly MessagePart[]): number {
  return parts.reduce((sum, part) => sum + textBytes(outputOf(part)), 0);
}

export function textBytes(text: string): number {
  return encoder.encode(text).length;
}

function outputOf(part: MessagePart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return part.toolName + JSON.stringify(part.input);
    case 'file':
      return part.data ?? part.url ?? '';
    default:
      return '';
  }
}
