import type { InferenceEvent, InferenceRequest } from './inference-client.ts';
import { failure } from './proxy-inference-call.ts';

/** How a call ends whose files take more bytes than a proxy takes; null for one that may be sent. */
export function filesTooLarge(
  request: InferenceRequest,
  { imageBytes = Infinity }: { readonly imageBytes?: number },
): InferenceEvent | null {
  const size = fileBytes(request);
  if (size <= imageBytes) return null;
  const message = `The files of the conversation take ${size} bytes; the proxy takes ${imageBytes} in one request. Send smaller files, or start a new conversation.`;
  return failure('files-too-large', message, false);
}

/** The bytes of all files that stand in the messages. */
function fileBytes({ messages }: InferenceRequest): number {
  let characters = 0;
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return Math.floor((characters / 4) * 3);
}
