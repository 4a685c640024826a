import type { InferenceEvent } from '../inference-client.ts';
import { retryAfterIn, retryAfterOf } from '../retry-after.ts';

type ErrorEvent = Extract<InferenceEvent, { type: 'error' }>;

/**
 * The used part of the AI SDK's APICallError. Its body, headers and address may hold secrets and are not passed on.
 */
type CallError = {
  statusCode?: unknown;
  responseHeaders?: Record<string, string>;
  responseBody?: unknown;
  name?: unknown;
  /** Fields of an error that came as an event of a stream. */
  message?: unknown;
  code?: unknown;
  type?: unknown;
};

/** The longest part of an error's body that is looked at, in characters. */
const maxSaid = 20_000;

/** The event of an answer of which nothing could be read. */
export const unreadableEvent: ErrorEvent = {
  type: 'error',
  code: 'stream-malformed',
  message: 'The model provider sent something that cannot be read.',
  retryable: true,
  retryAfterMs: null,
};

/** True for the error of a part that the provider's package could not read. */
export function isUnreadable(error: unknown): boolean {
  return isNamed(error, 'AI_JSONParseError') || isNamed(error, 'AI_TypeValidationError');
}

/** True for the error of a package whose stream lacks a part that it needs, such as its finish reason. */
export function isWithoutEnd(error: unknown): boolean {
  return isNamed(error, 'AI_InvalidResponseDataError');
}

function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && (error as CallError).name === name;
}

/** Statuses by words in the codes and types of errors within a stream, the most telling first. */
const statusOfWord: readonly (readonly [RegExp, number])[] = [
  [/quota|billing|credit/i, 402],
  [/rate.?limit|too.?many|exhausted/i, 429],
  [/auth|api.?key|permission/i, 401],
  [/overloaded|unavailable|capacity/i, 503],
  [/not.?found/i, 404],
  [/invalid|bad.?request|context.?length|unsupported|unprocessable/i, 400],
];

/** The status of an error: its own, that in its code, or the one that its code or type means; null for none. */
function statusOf({ statusCode, code, type }: CallError): number | null {
  const figure = [statusCode, code].map(Number).find((one) => one >= 400 && one < 600);
  if (figure !== undefined) return figure;
  const words = [code, type].filter((one) => typeof one === 'string').join(' ');
  return statusOfWord.find(([word]) => word.test(words))?.[1] ?? null;
}

/** Errors of the AI SDK for requests that were never sent, and would fail again. */
const refusedHere: readonly string[] = [
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
];

/** Converts a provider's error to an event with a message that is safe to show in a browser. */
export function upstreamErrorEvent(error: unknown): ErrorEvent {
  const told = (typeof error === 'object' && error !== null ? error : {}) as CallError;
  const { responseHeaders, responseBody, message, name } = told;
  const status = statusOf(told);
  if (status !== null) {
    const said = String(responseBody ?? message ?? '').slice(0, maxSaid);
    const waitMs = retryAfterOf((header) => responseHeaders?.[header]) ?? retryAfterIn(said);
    return { ...byStatus(status, said), retryAfterMs: waitMs };
  }
  if (isUnreadable(error) || isWithoutEnd(error)) return unreadableEvent;
  if (typeof name === 'string' && refusedHere.includes(name))
    return event('request-not-supported', 'This model does not support the content of the request.', false);
  // The provider package found no key, and would find none the next time.
  if (name === 'AI_LoadAPIKeyError')
    return event(
      'upstream-unauthorized',
      'This server has no key for the model provider. Check its configuration.',
      false,
    );
  // Such a request is never sent. Only the key of a model that the application made comes from a person.
  if (error instanceof TypeError && /ByteString|header value/i.test(error.message))
    return event(
      'upstream-unauthorized',
      'The key for the model provider holds a character that no header can hold. Copy the whole key again.',
      false,
    );
  // A call without an answer has no status; fetch itself throws a TypeError.
  if (name === 'AI_APICallError' || error instanceof TypeError) {
    return event('upstream-unreachable', 'The model provider cannot be reached.', true);
  }
  return event('upstream-error', 'The model provider reported an error.', true);
}

/** The providers' codes for an exhausted account; some send them with the status of too many requests. */
const exhausted = /insufficient_quota|billing_hard_limit|credit balance is too low/;

function byStatus(status: number, body: string): ErrorEvent {
  if (status === 402 || (status < 500 && exhausted.test(body))) {
    const message =
      'The account of this server at the model provider is used up. Check its plan and billing.';
    return event('upstream-quota-exhausted', message, false);
  }
  if (status === 401 || status === 403) {
    return event(
      'upstream-unauthorized',
      'The model provider refused the key of this server. Check its configuration.',
      false,
    );
  }
  if (status === 404) {
    const message = 'The model provider does not know this model, or has nothing at this address.';
    return event('upstream-unknown-model', message, false);
  }
  if (status === 429)
    return event('upstream-rate-limited', 'The model provider has too many requests; try again later.', true);
  if (status === 408 || status === 409 || status >= 500) {
    return event('upstream-unavailable', `The model provider failed (status ${status}).`, true);
  }
  return event(
    'upstream-invalid-request',
    `The model provider did not accept the request (status ${status}).`,
    false,
  );
}

function event(code: string, message: string, retryable: boolean): ErrorEvent {
  return { type: 'error', code, message, retryable, retryAfterMs: null };
}
