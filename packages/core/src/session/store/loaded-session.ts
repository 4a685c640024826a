import type { SessionLoad, SessionRecord } from './session-store.ts';
import { AgentError } from '../../kit/agent-error.ts';

/**
 * Returns the loaded session, or null when the store has none.
 * @throws AgentError of an answer that is `unknown`, because the store could not be read.
 */
export function loadedSession(found: SessionLoad): SessionRecord | null {
  if (found.kind === 'unknown') throw found.error;
  return found.kind === 'there' ? found.session : null;
}

/** Creates the error for store code that could not be loaded. */
export function notLoaded(cause: unknown): AgentError {
  const message = `The code of the session store cannot be loaded: ${String(cause)}. The next call tries again.`;
  return new AgentError('session-storage', message, { data: { retryable: true }, cause });
}
