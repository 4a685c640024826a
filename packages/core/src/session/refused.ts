import type { ErrorInfo } from '../graph/error-info.ts';
import type { AgentErrorCode } from '../kit/agent-error.ts';

/** Why something was refused, by a sentence of this library: there is nothing in it to be masked. */
export function refused(code: AgentErrorCode, message: string): ErrorInfo {
  return { name: 'AgentError', message, code, data: {}, cause: null };
}

/** What is said to those who ask something of a session that was closed. */
export function disposed(): ErrorInfo {
  return refused('session-disposed', 'This session was closed. Open it again.');
}

/** What was thrown before the engine was there, which would mask secrets: names and sentences of the platform only. */
export function plainInfo(thrown: unknown): ErrorInfo {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name, message, code: null, data: {}, cause: null };
}
