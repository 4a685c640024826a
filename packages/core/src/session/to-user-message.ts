import type { Env } from '../graph/env.ts';
import { type Message, user } from '../graph/message.ts';
import type { MessagePart } from '../graph/message-part.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';
import type { QueuedMessage } from './stores/queued-message.ts';

/** What a person sends, as the message that it becomes: text, then files, then data by name. */
export function toUserMessage(
  { id, text, files = [], data = {}, metadata = {} }: QueuedMessage,
  env: Env,
): Message {
  const parts: MessagePart[] = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...files,
    ...Object.entries(data).map(([name, value]) => ({ type: 'data' as const, name, data: value })),
  ];
  return normalizeMessage(user(parts, { id, metadata }, env), env);
}
