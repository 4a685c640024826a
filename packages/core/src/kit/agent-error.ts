import type { JsonObject } from './json.ts';

const marker = Symbol.for('vitrine.agent-error');

/** What went wrong, as a stable name: match on it, never on the message. */
export type AgentErrorCode =
  | 'agent-invalid'
  | 'approval-unknown'
  | 'hook-contract'
  | 'id-invalid'
  | 'inference-failed'
  | 'message-invalid'
  | 'output-invalid'
  | 'plugin-state-invalid'
  | 'plugin-state-conflict'
  | 'plugin-unknown'
  | 'session-busy'
  | 'session-conflict'
  | 'session-exists'
  | 'session-not-found'
  | 'session-storage'
  | 'signal-invalid'
  | 'state-invalid'
  | 'state-version-unsupported'
  | 'subagent-failed'
  | 'tool-blocked'
  | 'tool-failed'
  | 'tool-input-invalid'
  | 'tool-interrupted'
  | 'tool-not-found'
  | 'tool-output-invalid'
  | 'tool-rejected'
  | 'tool-timeout'
  | 'tools-duplicate'
  | 'upstream-error'
  | (string & {});

/** The one error class of the library: says what happened, with what, and what to do. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  /** Details for programs; plain JSON, so that it can be kept in state. */
  readonly data: JsonObject;

  constructor(code: AgentErrorCode, message: string, options: { data?: JsonObject; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AgentError';
    this.code = code;
    this.data = options.data ?? {};
    Object.defineProperty(this, marker, { value: true });
  }
}

/** True for an `AgentError`, of this copy of the library or another one, and of the given code if there is one. */
export function isAgentError(error: unknown, code?: AgentErrorCode): error is AgentError {
  const isOurs = typeof error === 'object' && error !== null && marker in error;
  return isOurs && (code === undefined || (error as unknown as AgentError).code === code);
}
