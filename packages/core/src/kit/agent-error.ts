import type { ErrorTableCode } from './errors/error-table.ts';
import type { JsonObject } from './json.ts';

const marker = Symbol.for('vitrine.agent-error');

/**
 * The codes of errors. An application adds its own by declaration merging: `interface AgentErrorCodes {
 * 'quota-used-up': true }`.
 */
export interface AgentErrorCodes extends Record<ErrorTableCode, true> {}

/** A code for the answer of a provider or an intermediate server that the table does not list. */
export type WireErrorCode = `upstream-${string}` | `http-${number}`;

/** The stable name of an error. Match on it, never on the message. */
export type AgentErrorCode = (keyof AgentErrorCodes & string) | WireErrorCode;

/** Converts a code from a server. Codes of other servers are kept unchanged; an empty one becomes `upstream-error`. */
export function wireErrorCode(code: string): AgentErrorCode {
  return code === '' ? 'upstream-error' : (code as AgentErrorCode);
}

/** The one error class of the library. Its message says what happened, with the value, and what to do. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  /** Details for programs: plain JSON, so that state can hold it. */
  readonly data: JsonObject;

  constructor(code: AgentErrorCode, message: string, options: { data?: JsonObject; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AgentError';
    this.code = code;
    this.data = options.data ?? {};
    Object.defineProperty(this, marker, { value: true });
  }
}

/** True for an object with the marker of one of our classes; false also for one whose traps throw. */
export function hasMarker(value: unknown, mark: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && mark in value;
  } catch {
    return false;
  }
}

/** True for an `AgentError` of this or another copy of the library, with the given code if there is one. */
export function isAgentError(error: unknown, code?: AgentErrorCode): error is AgentError {
  const isOurs = hasMarker(error, marker);
  return isOurs && (code === undefined || (error as unknown as AgentError).code === code);
}
