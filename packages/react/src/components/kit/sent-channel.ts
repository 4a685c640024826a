import type { AgentSession } from '@vitrine/core';

const readers = new WeakMap<AgentSession, Set<() => void>>();

/** Tells the conversation of a session that the person here has sent something: they want to see it. */
export function tellSent(session: AgentSession): void {
  for (const listener of readers.get(session) ?? []) listener();
}

/** Calls when something was sent from this page. Returns the function that ends it. */
export function onSent(session: AgentSession, listener: () => void): () => void {
  const own = readers.get(session) ?? new Set();
  readers.set(session, own.add(listener));
  return () => void own.delete(listener);
}
