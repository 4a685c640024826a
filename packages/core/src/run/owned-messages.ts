import type { Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';

/**
 * Copies the messages that a compiler or hook built, so that a stored step may hold them. Messages of
 * `before` keep their identity, and with it their memoised values. Returns the same list when all messages
 * are from `before`.
 * @throws AgentError `message-invalid` for a value that is no message.
 */
export function ownedMessages(
  list: readonly unknown[],
  before: Iterable<Message>,
  env: Env,
): readonly Message[] {
  const known = new Set<unknown>(before);
  if (list.every((message) => known.has(message))) return list as readonly Message[];
  return list.map((message) => (known.has(message) ? (message as Message) : normalizeMessage(message, env)));
}
