const key = 'vitrine-demo:on-server';
const listeners = new Set<() => void>();
let known: readonly string[] = read();

/** Returns the ids of the sessions that this browser has sent to the server, or found there; the same array until it changes. */
export function knownSessions(): readonly string[] {
  return known;
}

/** Remembers that a session is on the server, so that this browser never looks for it elsewhere. */
export function markOnServer(sessionId: string): void {
  if (!known.includes(sessionId)) keep([...known, sessionId]);
}

/** Forgets that a session is on the server, because the server does not have it. */
export function forgetOnServer(sessionId: string): void {
  if (known.includes(sessionId)) keep(known.filter((id) => id !== sessionId));
}

function keep(ids: readonly string[]): void {
  known = ids;
  try {
    localStorage.setItem(key, JSON.stringify(known));
  } catch {
    // The browser refuses storage: the server is asked for each session.
  }
  for (const listener of listeners) listener();
}

/** Follows the changes of this page. */
export function onKnownSessions(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function read(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
