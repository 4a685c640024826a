import type { SessionLoad, SessionRecord } from './session-store.ts';

/**
 * Returns the loaded session, or null when the store has none.
 * @throws AgentError of an answer that is `unknown`, because the store could not be read.
 */
export function loadedSession(found: SessionLoad): SessionRecord | null {
  if (found.kind === 'unknown') throw found.error;
  return found.kind === 'there' ? found.session : null;
}
