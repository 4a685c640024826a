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
    detail: `One write of a session may take ${most} bytes here. Leave files out, or start a new session.`,
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
