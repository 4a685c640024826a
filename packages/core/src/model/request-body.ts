import type { MessagePart, Message } from '../graph/message.ts';
import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { InferenceRequest } from './inference-client.ts';

/**
 * The JSON of a request. Fields that a model does not need (ids, times, metadata) are left out. The JSON of each
 * message is memoised, so that a long conversation is not written again in every step.
 */
export function requestBody(request: InferenceRequest, defaultModel: string | null): string {
  const { model, messages, tools, toolChoice, responseFormat, settings, cache } = request;
  // `+` instead of `join`: `join` copies the messages, appending to a string does not.
  return (
    `{"model":${JSON.stringify(model ?? defaultModel)},"messages":[` +
    messageTexts(messages) +
    `],"tools":${jsonText(tools)}` +
    `,"toolChoice":${JSON.stringify(toolChoice)}` +
    `,"responseFormat":${JSON.stringify(responseFormat)}` +
    `,"settings":${JSON.stringify(settings)}` +
    (cache === undefined ? '}' : `,"cache":${JSON.stringify(cache)}}`)
  );
}

export const jsonText: (value: object) => string = memoize((value) => JSON.stringify(value));

/** A string appended to the former one copies nothing until it is sent. */
const messageTexts = memoizeGrowing<Message, string>((before, messages, from) => {
  const added = messages.slice(from).map(messageText).join(',');
  return before === null ? added : `${before},${added}`;
});

const messageText = memoize(({ role, parts }: Message): string =>
  JSON.stringify({ role, parts: parts.map(wirePart) }),
);

function wirePart(part: MessagePart): object {
  if (part.type === 'tool-call') {
    const { providerCallId: _ours, ...rest } = part;
    return rest;
  }
  if (part.type !== 'tool-result') return part;
  const { durationMs: _ours, ...rest } = part;
  return rest;
}
