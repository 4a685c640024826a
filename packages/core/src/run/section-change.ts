import { equalJson, type JsonObject } from '../kit/json.ts';
import type { Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';

export type SectionChange = {
  removed: string[];
  put: Message[];
  added: { after: string | null; messages: Message[] }[];
};

/** True for a message with equal content, which changes nothing. */
function isSame(before: Message | undefined, message: Message): boolean {
  return before === message || equalJson(before as JsonObject | undefined, message as unknown as JsonObject);
}

/**
 * The difference between two lists of messages by id: removed, replaced, and added with the message that
 * each follows.
 */
export function sectionChange(
  before: readonly Message[],
  given: readonly Message[],
  env: Env,
): SectionChange | null {
  if (before === given) return null;
  const known = new Set(before);
  // New messages come from outside, so they are copied into the shape that state holds.
  const after = given.map((message) => (known.has(message) ? message : normalizeMessage(message, env)));
  const places = new Map(before.map((message, index) => [message.id, index]));
  const stayed = new Set<string>();
  const change: SectionChange = { removed: [], put: [], added: [] };
  let last: string | null = null;
  let place = -1;
  for (const message of after) {
    const old = places.get(message.id);
    // A message out of order was moved: it is removed and added again.
    if (old !== undefined && old > place && !stayed.has(message.id)) {
      place = old;
      stayed.add(message.id);
      if (!isSame(before[old], message)) change.put.push(message);
    } else if (!stayed.has(message.id)) {
      const group = change.added.at(-1);
      if (group?.messages.at(-1)?.id === last && last !== null) group.messages.push(message);
      else change.added.push({ after: last, messages: [message] });
    }
    last = message.id;
  }
  change.removed = before.flatMap(({ id }) => (stayed.has(id) ? [] : [id]));
  const isEmpty = change.removed.length + change.put.length + change.added.length === 0;
  return isEmpty ? null : change;
}
