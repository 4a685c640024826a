import type { MessagePart } from '../graph/message-part.ts';
import type { Message } from '../graph/message.ts';
import { jsonText } from '../kit/json-text.ts';
import { memoize } from '../kit/memoize.ts';
import type { InferenceRequest } from './inference-client.ts';

/**
 * The JSON of a request. What a model does not need (ids, times, metadata) stays here, and every message is written once
 * for as long as it lives, so that a long conversation is not written again with every step.
 */
export function requestBody(request: InferenceRequest, defaultModel: string | null): string {
  const { model, messages, tools, toolChoice, responseFormat, settings } = request;
  const fields = [
    `"model":${JSON.stringify(model ?? defaultModel)}`,
    `"messages":[${messages.map(messageText).join(',')}]`,
    `"tools":${jsonText(tools)}`,
    `"toolChoice":${JSON.stringify(toolChoice)}`,
    `"responseFormat":${JSON.stringify(responseFormat)}`,
    `"settings":${JSON.stringify(settings)}`,
  ];
  return `{${fields.join(',')}}`;
}

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
