import type { AgentSession } from '@vitrine/core';

const readers = new WeakMap<AgentSession, Set<() => void>>();

/**
 * Notifies the conversation of a session that the person has sent a message here, so that it scrolls to the
 * end.
 */
export function tellSent(session: AgentSession): void {
  for (const listener of readers.get(session) ?? []) listener();
}

/** Subscribes to messages sent from this page. Returns the unsubscribe function. */
export function onSent(session: AgentSession, listener: () => void): () => void {
  const own = readers.get(session) ?? new Set();
  readers.set(session, own.add(listener));
  return () => void own.delete(listener);
}
