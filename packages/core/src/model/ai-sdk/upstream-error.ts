import type { InferenceEvent } from '../inference-client.ts';
import { retryAfterOf } from '../retry-after.ts';

type ErrorEvent = Extract<InferenceEvent, { type: 'error' }>;

/**
 * The used part of the AI SDK's APICallError. Its body, headers and address may hold secrets and are not passed on.
 */
type CallError = {
  statusCode?: unknown;
  responseHeaders?: Record<string, string>;
  responseBody?: unknown;
  name?: unknown;
};

/** Errors of the AI SDK for requests that were never sent, and would fail again. */
const refusedHere: readonly string[] = [
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
];

/** Converts a provider's error to an event with a message that is safe to show in a browser. */
export function upstreamErrorEvent(error: unknown): ErrorEvent {
  const { statusCode, responseHeaders, responseBody, name } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as CallError;
  const waitMs = retryAfterOf((header) => responseHeaders?.[header]);
  if (typeof statusCode === 'number' && statusCode >= 400)
    return { ...byStatus(statusCode, String(responseBody ?? '')), retryAfterMs: waitMs };
  if (
    name === 'AI_JSONParseError' ||
    name === 'AI_TypeValidationError' ||
    name === 'AI_InvalidResponseDataError'
  ) {
    return event('stream-malformed', 'The model provider sent something that cannot be read.', true);
  }
  if (typeof name === 'string' && refusedHere.includes(name))
    return event('request-not-supported', 'This model does not support the content of the request.', false);
  // The provider package found no key, and would find none the next time.
  if (name === 'AI_LoadAPIKeyError')
    return event(
      'upstream-unauthorized',
      'This server has no key for the model provider. Check its configuration.',
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
