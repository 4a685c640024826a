import { AgentError } from '../../kit/agent-error.ts';

/** Creates the error for store code that could not be loaded. */
export function notLoaded(cause: unknown): AgentError {
  const message = `The code of the session store cannot be loaded: ${String(cause)}. The next call tries again.`;
  return new AgentError('session-storage', message, { data: { retryable: true }, cause });
}
