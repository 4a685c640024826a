import { maskSecrets } from '@vitrine/core/internal/kit/mask-secrets';
import { isObject } from './is-object.ts';

const maxCause = 300;
/** The longest part of an error page that is read, in characters; an operator needs nothing beyond it. */
const maxRead = 4000;

/**
 * Describes a failure to an operator: its status, its message, the provider's body and the errors behind it. The result
 * is one line of at most 300 characters with masked secrets. `hide` masks further known secrets.
 */
export function causeOf(error: unknown, hide = (text: string): string => text): string {
  const said = hide(sayings(error, 0).join(': ')).slice(0, maxRead);
  const text = maskSecrets(said)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return text.length <= maxCause ? text : `${text.slice(0, maxCause - 1).replace(/\p{Surrogate}$/u, '')}…`;
}

type Failure = {
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly responseHeaders?: unknown;
  readonly cause?: unknown;
};

const idHeaders = ['x-request-id', 'request-id'];

function sayings(error: unknown, depth: number): string[] {
  if (typeof error !== 'object' || error === null) return error === undefined ? [] : [String(error)];
  const { message, statusCode, responseBody, responseHeaders, cause } = error as Failure;
  const said: string[] = [];
  if (typeof statusCode === 'number') {
    const headers = isObject(responseHeaders) ? responseHeaders : {};
    const id = idHeaders.map((name) => headers[name]).find((value) => value !== undefined);
    said.push(`status ${statusCode}${id === undefined ? '' : `, request ${String(id)}`}`);
  }
  if (typeof message === 'string' && message !== '') said.push(message);
  else if (said.length === 0) said.push(jsonOf(error));
  if (typeof responseBody === 'string' && !said.some((text) => responseBody.includes(text)))
    said.push(responseBody);
  // The message of a wrapper mostly repeats its cause.
  if (depth < 3) said.push(...sayings(cause, depth + 1).filter((text) => !said.join().includes(text)));
  return said;
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return 'an error that says nothing';
  }
}
