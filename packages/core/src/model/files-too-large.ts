import type { Message } from '../graph/message.ts';
import { memoizeGrowing } from '../kit/memoize.ts';
import type { InferenceEvent, InferenceRequest } from './inference-client.ts';
import { failure } from './proxy-inference-call.ts';

/** Returns the error event of a request whose files exceed the proxy's limit; null for a request that may be sent. */
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

/** Characters of all files in the messages. It runs in every step, so only new messages are examined. */
const base64Length = memoizeGrowing<Message, number>((before, messages, from) => {
  let characters = before ?? 0;
  for (const { parts } of messages.slice(from))
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return characters;
});
