import type { InferenceEvent } from '@vitrine/core';

export type ErrorEvent = Extract<InferenceEvent, { type: 'error' }>;

const error = (code: string, message: string, retryable: boolean): ErrorEvent => ({
  type: 'error',
  code,
  message,
  retryable,
  retryAfterMs: null,
});

/** Last events that the proxy writes itself. Errors may contain keys or addresses, so they are left out. */
export const streamErrors = {
  callFailed: error('upstream-error', 'The model could not be called.', true),
  cancelled: error('stream-cancelled', 'The answer was stopped.', false),
  incomplete: error(
    'stream-incomplete',
    'The answer broke off: the model’s stream ended without a last event.',
    true,
  ),
  unread: {
    ...error('stream-incomplete', 'The answer was ended because nobody was reading it any more.', true),
    wasUnread: true,
  } satisfies ErrorEvent,
  abandoned: error(
    'stream-incomplete',
    'The answer broke off: the server that called the model has died.',
    true,
  ),
  shutDown: error('stream-incomplete', 'The answer broke off: the server is shutting down.', true),
  logFailed: error('stream-incomplete', 'The answer broke off: it could not be stored.', true),
  frameTooLarge: (bytes: number): ErrorEvent =>
    error('stream-malformed', `The model provider sent an event of more than ${bytes} bytes.`, false),
  unwritable: error('stream-malformed', 'The model provider sent an event that cannot be passed on.', false),
  tooLong: (bytes: number): ErrorEvent =>
    error('stream-too-long', `The answer was ended at the limit of ${bytes} bytes.`, false),
  noRoom: (bytes: number): ErrorEvent =>
    error(
      'stream-too-long',
      `The answer was ended: all running answers reached ${bytes} bytes together, and this one was the longest.`,
      true,
    ),
  silent: (ms: number): ErrorEvent =>
    error('upstream-timeout', `The model provider sent nothing for ${ms / 1000} s.`, true),
  late: (ms: number): ErrorEvent =>
    error('upstream-timeout', `The model provider did not finish within ${ms / 1000} s.`, true),
};
