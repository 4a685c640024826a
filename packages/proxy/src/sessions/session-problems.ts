import type { Problem } from '../problems/problem.ts';

/** Why a request for a session is refused. */
export const sessionProblems = {
  unknown: {
    status: 404,
    code: 'session-not-found',
    title: 'Unknown session',
    detail: 'You have no such session.',
  },
  /** `storedVersion` is 0 where nothing that can be read is stored. */
  conflict: (storedVersion: number) => ({
    status: 409,
    code: 'session-conflict',
    title: 'Conflict',
    detail: `The session was changed elsewhere: version ${storedVersion} is stored. Load it again before you write.`,
    members: { storedVersion },
  }),
  noCondition: {
    status: 428,
    code: 'invalid-request',
    title: 'Precondition required',
    detail: 'Say what the write builds on: If-Match with the tag of the stored head, or If-None-Match: *.',
  },
  invalidId: {
    status: 400,
    code: 'id-invalid',
    title: 'Invalid id',
    detail: 'A session id has 1 to 128 letters, digits, "_" or "-", not "-" first.',
  },
  invalid: (issue: string) => ({
    status: 400,
    code: 'invalid-request',
    title: 'Invalid request',
    detail: `The body is no write of a session: ${issue}`,
  }),
  tooLarge: (most: number) => ({
    status: 413,
    code: 'body-too-large',
    title: 'Request too large',
    detail: `One write of a session may take ${most} bytes here. Start a new session.`,
  }),
  unknownFile: {
    status: 404,
    code: 'file-not-found',
    title: 'Unknown file',
    detail: 'You have no such file.',
  },
  noFiles: {
    status: 501,
    code: 'files-not-kept',
    title: 'Not implemented',
    detail:
      'The store behind this server keeps no files: the rows that it gives to createSessionRoutes have no blobs.',
  },
  invalidHash: {
    status: 400,
    code: 'file-hash-invalid',
    title: 'Invalid hash',
    detail: 'A file is named by the SHA-256 of its bytes: 64 hexadecimal digits, small letters.',
  },
  otherFile: {
    status: 400,
    code: 'file-hash-mismatch',
    title: 'Other file',
    detail: 'What came is not what its hash says. Send it again.',
  },
  notFileType: {
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'Send a file as application/octet-stream, and what it is in X-File-Type.',
  },
  invalidFileType: {
    status: 400,
    code: 'invalid-request',
    title: 'Invalid request',
    detail: 'X-File-Type is no percent-encoded text of at most 255 characters.',
  },
  fileTooLarge: (most: number) => ({
    status: 413,
    code: 'file-too-large',
    title: 'File too large',
    detail: `A file may have ${most} bytes here. Send a smaller one.`,
  }),
  /** What the store said may hold names and addresses of its own. */
  storage: {
    status: 503,
    code: 'session-storage',
    title: 'Sessions unavailable',
    detail: 'The sessions could not be read or written. Try again.',
    retryable: true,
  },
} as const satisfies Record<string, Problem | ((...args: never[]) => Problem)>;
