import { isAgentError } from '../kit/agent-error.ts';
import { isPlainObject } from '../kit/is-plain-object.ts';
import type { JsonObject } from '../kit/json.ts';
import { maskSecrets, maskSecretsIn } from '../kit/mask-secrets.ts';
import { toJsonObject } from '../kit/to-json.ts';

/** An error as plain data, so that it can live in state and round-trip. */
export type ErrorInfo = {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  /** Details for programs; only errors of this library have them. */
  readonly data: JsonObject;
  readonly cause: ErrorInfo | null;
};

/** Removes more from an error than is removed anyway. */
export type RedactError = (error: ErrorInfo) => ErrorInfo;

/** Causes that are followed. */
export const maxCauses = 8;
/** Longer messages are mostly whole answers of a server. */
const maxMessageLength = 10_000;
const maxNameLength = 100;

/**
 * Describes anything that was thrown, `undefined` too; never throws itself. What looks like a secret is masked (see
 * `maskSecrets`), data is kept of our own errors only, causes are followed eight levels deep. When `redact` throws or
 * gives no object, only name and code remain.
 */
export function errorInfo(thrown: unknown, redact?: RedactError): ErrorInfo {
  const info = describe(thrown, 0);
  if (redact === undefined) return info;
  try {
    const redacted: unknown = redact(info);
    if (isPlainObject(redacted)) return copy(redacted, 0);
  } catch {
    // What should have been removed is not known: nothing is shown.
  }
  return {
    ...info,
    message: 'The error is withheld: the function that redacts errors failed.',
    data: {},
    cause: null,
  };
}

function describe(thrown: unknown, depth: number): ErrorInfo {
  const name = read(thrown, 'name');
  const code = read(thrown, 'code');
  const cause = read(thrown, 'cause');
  return {
    name: typeof name === 'string' && name !== '' ? shorten(maskSecrets(name), maxNameLength) : 'Error',
    message: shorten(maskSecrets(messageOf(thrown)), maxMessageLength),
    code: typeof code === 'string' ? shorten(maskSecrets(code), maxNameLength) : null,
    data: isOurs(thrown) ? (maskSecretsIn(toJsonObject(read(thrown, 'data'))) as JsonObject) : {},
    cause: cause === undefined || cause === null || depth >= maxCauses ? null : describe(cause, depth + 1),
  };
}

function messageOf(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return `${thrown} was thrown instead of an error.`;
  if (typeof thrown === 'object' || typeof thrown === 'function') {
    const message = read(thrown, 'message');
    return typeof message === 'string' ? message : 'Something that is not an Error was thrown.';
  }
  return String(thrown) || 'An empty text was thrown instead of an error.';
}

function read(holder: unknown, key: 'name' | 'message' | 'code' | 'data' | 'cause'): unknown {
  if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) return undefined;
  try {
    return (holder as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function isOurs(thrown: unknown): boolean {
  try {
    return isAgentError(thrown);
  } catch {
    return false;
  }
}

/** What an application's function made of an error, in the right shape. */
function copy(error: { readonly [key: string]: unknown }, depth: number): ErrorInfo {
  const { name, message, code, data, cause } = error;
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : '',
    code: typeof code === 'string' ? code : null,
    data: toJsonObject(data),
    cause: isPlainObject(cause) && depth < maxCauses ? copy(cause, depth + 1) : null,
  };
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
