import type { AgentSession } from '@vitrine/core';

const keys = new WeakMap<AgentSession, number>();
let nextKey = 1;

/**
 * A React `key` for state that belongs to one session.
 *
 * The id cannot serve as the key: a session without an id gets one on first use, and the typed text and
 * files must survive that.
 */
export function sessionKey(session: AgentSession): number {
  const key = keys.get(session) ?? nextKey++;
  keys.set(session, key);
  return key;
}
