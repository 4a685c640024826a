import type { InferenceEvent } from '@vitrine/core';

/** Codes of events for a request that the provider did not accept. */
const refusals: readonly string[] = [
  'request-not-supported',
  'upstream-invalid-request',
  'upstream-quota-exhausted',
  'upstream-rate-limited',
  'upstream-unauthorized',
  'upstream-unknown-model',
];

/** Statuses of a busy provider. After any other status from 500 on it may have worked for long. */
const busy: readonly unknown[] = [503, 529];

/** Codes of connections that were never established, so that nothing was sent. */
const unconnected: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * True when a failed call surely did not begin, so that nobody bills it. It decides by the event that ended the call,
 * or by the error. A broken connection is no such sign.
 */
export function isRefusedCall(last: InferenceEvent, thrown: unknown): boolean {
  if (last.type !== 'error') return false;
  return refusals.includes(last.code) || isUnsent(thrown, 0);
}

function isUnsent(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { statusCode, code, cause } = error as Failure;
  return busy.includes(statusCode) || unconnected.includes(code) || isUnsent(cause, depth + 1);
}

type Failure = { readonly statusCode?: unknown; readonly code?: unknown; readonly cause?: unknown };
