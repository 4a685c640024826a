import type { Problem } from '../guard/problems.ts';

/** Refusals of a request for a session. */
export const sessionProblems = {
  unknown: {
    status: 404,
    code: 'session-not-found',
    title: 'Unknown session',
    detail: 'This session does not exist for you. Check its id.',
  },
  /** The answer to a version conflict. `storedVersion` is 0 when no readable session is stored. */
  conflict: (storedVersion: number) => ({
    status: 409,
    code: 'session-conflict',
    title: 'Conflict',
    detail: `The session was changed by another writer: version ${storedVersion} is stored. Load it again before you write.`,
    members: { storedVersion },
  }),
  noCondition: {
    status: 428,
    code: 'invalid-request',
    title: 'Precondition required',
    detail:
      'The write names no base version. Send If-Match with the tag of the stored head, or If-None-Match: *.',
  },
  invalidId: {
    status: 400,
    code: 'id-invalid',
    title: 'Invalid id',
    detail: 'A session id is a text of 1 to 200 characters without control characters, and not "." or "..".',
  },
  invalid: (issue: string) => ({
    status: 400,
    code: 'invalid-request',
    title: 'Invalid request',
    detail: `The body is not a valid write of a session: ${issue}`,
  }),
  tooLarge: (most: number) => ({
    status: 413,
    code: 'body-too-large',
    title: 'Request too large',
    detail: `The write exceeds the limit of ${most} bytes on this server. Start a new session.`,
  }),
  headTooLarge: (bytes: number, most: number) => ({
    status: 413,
    code: 'session-head-too-large',
    title: 'Head too large',
    detail: `The head of the session takes ${bytes} bytes; this server takes ${most}. Shorten the title of the session, or raise limits.headBytes.`,
  }),
  quota: (limit: 'sessions' | 'bytes', most: number) => ({
    status: 507,
    code: 'session-quota-exceeded',
    title: 'No more room',
    detail: `You may keep ${most} ${limit === 'bytes' ? 'bytes of sessions and files' : 'sessions'} here. Delete some to make room.`,
  }),
  busy: {
    status: 503,
    code: 'sessions-busy',
    title: 'Too many requests at once',
    detail: 'This server has reached its limit of concurrent requests. Try again in a moment.',
    retryable: true,
    retryAfterMs: 1000,
  },
  unknownFile: {
    status: 404,
    code: 'file-not-found',
    title: 'Unknown file',
    detail: 'This file does not exist for you. Upload it again.',
  },
  noFiles: {
    status: 501,
    code: 'files-not-kept',
    title: 'Not implemented',
    detail:
      'The store of this server keeps no files, because its rows have no blobs. Give createSessionRoutes a store with blobs.',
  },
  invalidHash: {
    status: 400,
    code: 'file-hash-invalid',
    title: 'Invalid hash',
    detail: 'The name of a file must be the SHA-256 of its bytes: 64 hexadecimal digits in lower case.',
  },
  otherFile: {
    status: 400,
    code: 'file-hash-mismatch',
    title: 'Other file',
    detail: 'The bytes do not match their hash. Send the file again.',
  },
  notFileType: {
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'Send a file as application/octet-stream, with its type in X-File-Type.',
  },
  invalidFileType: {
    status: 400,
    code: 'invalid-request',
    title: 'Invalid request',
    detail: 'X-File-Type must be percent-encoded text of at most 255 characters.',
  },
  fileTooLarge: (most: number) => ({
    status: 413,
    code: 'file-too-large',
    title: 'File too large',
    detail: `The file exceeds the limit of ${most} bytes on this server. Send a smaller one.`,
  }),
  /** The store's own error may contain names and addresses, so it is not sent. */
  storage: {
    status: 503,
    code: 'session-storage',
    title: 'Sessions unavailable',
    detail: 'The sessions could not be read or written. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  },
} as const satisfies Record<string, Problem | ((...args: never[]) => Problem)>;
