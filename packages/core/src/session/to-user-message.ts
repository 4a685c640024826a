import type { Env } from '../graph/env.ts';
import { type Message, user, type MessagePart } from '../graph/message.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';
import type { QueuedMessage } from './stores/queued-message.ts';

/** Creates the message from a sent one: text, then files, then data by name. */
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

/** Creates the sent form of a user message. */
export function toQueuedMessage({ id, parts, metadata }: Message): QueuedMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const files = parts.filter((part) => part.type === 'file');
  const data = Object.fromEntries(
    parts.flatMap((part) => (part.type === 'data' ? [[part.name, part.data] as const] : [])),
  );
  return { id, text: texts.join('\n'), files, data, metadata, isSteered: false };
}
