import type { ErrorTableCode } from './errors/error-table.ts';
import type { JsonObject } from './json.ts';

const marker = Symbol.for('vitrine.agent-error');

/** The codes of errors. An application adds its own by declaration merging: `interface AgentErrorCodes { 'quota-used-up': true }`. */
export interface AgentErrorCodes extends Record<ErrorTableCode, true> {}

/** How a provider or a server on the way refused, where the table has no code of its own for it. */
export type WireErrorCode = `upstream-${string}` | `http-${number}`;

/** What went wrong, as a stable name: match on it, never on the message. */
export type AgentErrorCode = (keyof AgentErrorCodes & string) | WireErrorCode;

/** A code that came from a server. It is kept as it is, also when another server than ours made it up. */
export function wireErrorCode(code: string): AgentErrorCode {
  return code === '' ? 'upstream-error' : (code as AgentErrorCode);
}

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
