import type { Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';

/**
 * Messages that a compiler or a hook put together, as a kept step may hold them. Those of before stay the same ones:
 * what is known of them need not be found out again. The same list where all of them are.
 * @throws AgentError `message-invalid` for what is no message.
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
