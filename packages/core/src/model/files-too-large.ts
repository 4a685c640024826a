import type { Message } from '../graph/message.ts';
import { memoizeGrowing } from '../kit/memoize-growing.ts';
import type { InferenceEvent, InferenceRequest } from './inference-client.ts';
import { failure } from './proxy-inference-call.ts';

/** How a call ends whose files take more bytes than a proxy is known to take; null for one that may be sent. */
export function filesTooLarge(
  { messages }: InferenceRequest,
  { imageBytes }: { readonly imageBytes?: number },
): InferenceEvent | null {
  if (imageBytes === undefined) return null;
  const size = Math.floor((base64Length(messages) / 4) * 3);
  if (size <= imageBytes) return null;
  const message = `The files of the conversation take ${size} bytes; the proxy takes ${imageBytes} in one request. Send smaller files, or start a new conversation.`;
  return failure('files-too-large', message, false);
}

/** The characters of all files that stand in the messages; asked in every step, so that only new ones are looked at. */
const base64Length = memoizeGrowing<Message, number>((before, messages, from) => {
  let characters = before ?? 0;
  for (const { parts } of messages.slice(from))
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return characters;
});
