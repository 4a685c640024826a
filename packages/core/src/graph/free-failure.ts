import { isAgentError } from '../kit/agent-error.ts';
import { networkFailure } from '../kit/network-error.ts';

/** Codes of calls whose model may have been at work. With any other code the call was refused. */
const mayHaveBegun =
  /^(stream-.*|upstream-error|upstream-timeout|upstream-unavailable|inference-failed|plugin-failed|cancelled)$/;

/** Statuses from 500 on of a server that did not read the request: away, busy, or not reached. */
const awayOrBusy: readonly number[] = [502, 503, 504, 511, 521, 523, 525, 526, 529, 530];

type Failure = {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
};

/**
 * True for the failure of a model call that was not sent or was refused, so that it costs nothing as long as no part of
 * an answer has come. It takes an `error` event of a client or a thrown value, and decides by the status of the
 * provider, the code, or the network error behind it. Never throws.
 */
export function isFree(failure: unknown): boolean {
  if (typeof failure !== 'object' || failure === null) return false;
  try {
    const { type, code, status, statusCode = status } = failure as Failure;
    if (typeof statusCode === 'number' && statusCode >= 300)
      return statusCode < 500 || awayOrBusy.includes(statusCode);
    const hasOurCode = type === 'error' || isAgentError(failure);
    if (hasOurCode && typeof code === 'string') return !mayHaveBegun.test(code);
    return networkFailure(failure) === 'unsent';
  } catch {
    return false;
  }
}
