import type { InferenceEvent } from '@vitrine/core';

/** The last event of a stream that does not end well. */
export type ErrorEvent = Extract<InferenceEvent, { type: 'error' }>;

const error = (code: string, message: string, retryable: boolean): ErrorEvent => ({
  type: 'error',
  code,
  message,
  retryable,
  retryAfterMs: null,
});

/** How the proxy ends a stream that the upstream does not end. What was thrown may name keys or addresses, so no more is told. */
export const streamErrors = {
  callFailed: error('upstream-error', 'The model could not be called.', true),
  cancelled: error('stream-cancelled', 'The answer was stopped.', false),
  incomplete: error(
    'stream-incomplete',
    'The answer broke off: the model’s stream ended without saying that it was finished.',
    true,
  ),
  unread: error('stream-incomplete', 'The answer broke off: nobody was reading it any more.', true),
  abandoned: error(
    'stream-incomplete',
    'The answer broke off: the server that asked the model is gone.',
    true,
  ),
  shutDown: error('stream-incomplete', 'The answer broke off: the server is being stopped.', true),
  logFailed: error('stream-incomplete', 'The answer broke off: it could not be kept.', true),
  frameTooLarge: (bytes: number): ErrorEvent =>
    error('stream-malformed', `The model provider sent an event of more than ${bytes} bytes.`, false),
  unwritable: error('stream-malformed', 'The model provider sent an event that cannot be passed on.', false),
  tooLong: (bytes: number): ErrorEvent =>
    error('stream-too-long', `The answer was ended when it had reached ${bytes} bytes.`, false),
  silent: (ms: number): ErrorEvent =>
    error('upstream-timeout', `The model provider sent nothing for ${ms / 1000} s.`, true),
  late: (ms: number): ErrorEvent =>
    error('upstream-timeout', `The model provider did not finish within ${ms / 1000} s.`, true),
};
