import { isAgentError } from '../kit/agent-error.ts';
import { isPlainObject, type JsonObject } from '../kit/json.ts';
import { copyErrorInfo, type ErrorInfo, maxCauses } from './copy-error-info.ts';
import { maskSecrets, maskSecretsIn } from '../kit/mask-secrets.ts';
import { toJsonObject } from '../kit/to-json.ts';
import { cutText, wellFormed } from '../kit/text.ts';

export type { ErrorInfo } from './copy-error-info.ts';

/** Removes more from an error than is removed by default. */
export type RedactError = (error: ErrorInfo) => ErrorInfo;

/** Longest message in characters: longer ones are usually whole answers of a server. */
const maxMessageLength = 10_000;
const maxNameLength = 100;

/**
 * Describes any thrown value, `undefined` included; never throws. Secrets are masked (see `maskSecrets`), data is kept
 * only for errors of this library, and causes are followed eight levels deep. When `redact` throws or returns no
 * object, only name and code remain.
 */
export function of(thrown: unknown, redact?: RedactError): ErrorInfo {
  const info = describe(thrown, 0);
  if (redact === undefined) return info;
  try {
    const redacted: unknown = redact(info);
    if (isPlainObject(redacted)) return copyErrorInfo(redacted);
  } catch {
    // It is unknown what should have been removed, so nothing is shown.
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
    name: typeof name === 'string' && name !== '' ? shownText(name, maxNameLength) : 'Error',
    message: shownText(messageOf(thrown), maxMessageLength),
    code: typeof code === 'string' ? shownText(code, maxNameLength) : null,
    data: isAgentError(thrown) ? (maskSecretsIn(toJsonObject(read(thrown, 'data'))) as JsonObject) : {},
    cause: cause === undefined || cause === null || depth >= maxCauses ? null : describe(cause, depth + 1),
  };
}

/** The beginning of a text without its secrets. Only twice the length is masked, because the text may have any. */
function shownText(text: string, length: number): string {
  const shown = maskSecrets(wellFormed(text.slice(0, 2 * length)));
  return shown.length <= length ? shown : `${cutText(shown, length)}…`;
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
    const value = (holder as Record<string, unknown>)[key];
    // An unhandled rejection would end a Node process.
    if (value instanceof Promise) value.catch(() => undefined);
    return value;
  } catch {
    return undefined;
  }
}
