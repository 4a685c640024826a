import type { ErrorInfo } from '../graph/error-info.ts';
import type { AgentErrorCode } from '../kit/agent-error.ts';

/** Creates the error of a refusal from a sentence of this library, which holds nothing to mask. */
export function refused(code: AgentErrorCode, message: string): ErrorInfo {
  return { name: 'AgentError', message, code, data: {}, cause: null };
}

/** Creates the error for commands to a closed session. */
export function disposed(): ErrorInfo {
  return refused('session-disposed', 'This session was closed. Open it again.');
}

/**
 * Returns an error from before the engine is loaded, which would mask secrets. It keeps names and sentences
 * of the platform only.
 */
export function plainInfo(thrown: unknown): ErrorInfo {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name, message, code: null, data: {}, cause: null };
}
