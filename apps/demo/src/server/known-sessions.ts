import { keep, readKept } from '../kit/kept.ts';

const key = 'vitrine-demo:on-server';
const listeners = new Set<() => void>();
let known = read();

/** Returns the ids of the sessions that this browser has sent to the server, or found there; the same array until it changes. */
export function knownSessions(): readonly string[] {
  return known;
}

/** Remembers that a session is on the server, so that this browser never looks for it elsewhere. */
export function markOnServer(sessionId: string): void {
  if (!known.includes(sessionId)) change([...known, sessionId]);
}

/** Forgets that a session is on the server, because the server does not have it. */
export function forgetOnServer(sessionId: string): void {
  if (known.includes(sessionId)) change(known.filter((id) => id !== sessionId));
}

function change(ids: readonly string[]): void {
  known = ids;
  keep(key, known);
  for (const listener of listeners) listener();
}

/** Follows the changes of this page. */
export function onKnownSessions(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function read(): readonly string[] {
  return Object.values(readKept(key)).filter((id) => typeof id === 'string');
}
