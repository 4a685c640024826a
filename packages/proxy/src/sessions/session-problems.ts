import { problemOf } from '../guard/problems.ts';

export const sessionProblems = {
  unknown: problemOf(
    [404, 'session-not-found', 'Unknown session'],
    'This session does not exist for you. Check its id.',
  ),
  /** The answer to a version conflict. `storedVersion` is 0 when no readable session is stored. */
  conflict: (storedVersion: number) =>
    problemOf(
      [409, 'session-conflict', 'Conflict'],
      `The session was changed by another writer: version ${storedVersion} is stored. Load it again before you write.`,
      { members: { storedVersion } },
    ),
  noCondition: problemOf(
    [428, 'invalid-request', 'Precondition required'],
    'The write names no base version. Send If-Match with the tag of the stored head, or If-None-Match: *.',
  ),
  invalidId: problemOf(
    [400, 'id-invalid', 'Invalid id'],
    'A session id is a text of 1 to 200 characters without control characters, and not "." or "..".',
  ),
  invalid: (issue: string) =>
    problemOf(
      [400, 'invalid-request', 'Invalid request'],
      `The body is not a valid write of a session: ${issue}`,
    ),
  tooLarge: (most: number) =>
    problemOf(
      [413, 'body-too-large', 'Request too large'],
      `The write exceeds the limit of ${most} bytes on this server. Start a new session.`,
    ),
  headTooLarge: (bytes: number, most: number) =>
    problemOf(
      [413, 'session-head-too-large', 'Head too large'],
      `The head of the session takes ${bytes} bytes; this server takes ${most}. Shorten the title of the session, or raise limits.headBytes.`,
    ),
  quota: (limit: 'sessions' | 'bytes', most: number) =>
    problemOf(
      [507, 'session-quota-exceeded', 'No more room'],
      `You may keep ${most} ${limit === 'bytes' ? 'bytes of sessions and files' : 'sessions'} here. Delete some to make room.`,
    ),
  busy: problemOf(
    [503, 'sessions-busy', 'Too many requests at once'],
    'This server has reached its limit of concurrent requests. Try again in a moment.',
    { retryable: true, retryAfterMs: 1000 },
  ),
  unknownFile: problemOf(
    [404, 'file-not-found', 'Unknown file'],
    'This file does not exist for you. Upload it again.',
  ),
  noFiles: problemOf(
    [501, 'files-not-kept', 'Not implemented'],
    'The store of this server keeps no files, because its rows have no blobs. Give createSessionRoutes a store with blobs.',
  ),
  invalidHash: problemOf(
    [400, 'file-hash-invalid', 'Invalid hash'],
    'The name of a file must be the SHA-256 of its bytes: 64 hexadecimal digits in lower case.',
  ),
  otherFile: problemOf(
    [400, 'file-hash-mismatch', 'Other file'],
    'The bytes do not match their hash. Send the file again.',
  ),
  notFileType: problemOf(
    [415, 'unsupported-media-type', 'Unsupported media type'],
    'Send a file as application/octet-stream, with its type in X-File-Type.',
  ),
  invalidFileType: problemOf(
    [400, 'invalid-request', 'Invalid request'],
    'X-File-Type must be percent-encoded text of at most 255 characters.',
  ),
  fileTooLarge: (most: number) =>
    problemOf(
      [413, 'file-too-large', 'File too large'],
      `The file exceeds the limit of ${most} bytes on this server. Send a smaller one.`,
    ),
  /** The store's own error may contain names and addresses, so it is not sent. */
  storage: problemOf(
    [503, 'session-storage', 'Sessions unavailable'],
    'The sessions could not be read or written. Try again in a moment.',
    { retryable: true, retryAfterMs: 2000 },
  ),
};
