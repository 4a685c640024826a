import type { AgentSession } from '@vitrine/core';

const keys = new WeakMap<AgentSession, number>();
let nextKey = 1;

/**
 * For `key`, where something belongs to one session and begins anew with another. Not the id: a session without a name
 * gets one when it is first used, and what is typed and attached at that moment has to stay.
 */
export function sessionKey(session: AgentSession): number {
  const key = keys.get(session) ?? nextKey++;
  keys.set(session, key);
  return key;
}
