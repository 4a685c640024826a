import type { Problem } from '@vitrine/proxy/internal/guard';

/** Refusals of a request to a server of agents. */
export const serverProblems = {
  unknownAgent: (names: readonly string[]) => ({
    status: 404,
    code: 'unknown-agent',
    title: 'Unknown agent',
    detail: `This server has no such agent. It has: ${names.join(', ')}.`,
  }),
  unknownSession: {
    status: 404,
    code: 'session-not-found',
    title: 'Unknown session',
    detail: 'This session does not exist for you under this agent. Check its id.',
  },
  deletedSession: {
    status: 410,
    code: 'session-deleted',
    title: 'Deleted session',
    detail: 'This session was deleted, so it takes no commands. Start a new one.',
  },
  existingSession: {
    status: 409,
    code: 'session-conflict',
    title: 'Session exists',
    detail: 'Another session has this id here, so this one stays where it is. Fork it to move a copy.',
  },
  invalidSession: (issue: string) => ({
    status: 400,
    code: 'state-invalid',
    title: 'Invalid session',
    detail: `The body is not a session that moves here: ${issue}`,
  }),
  noRoom: (sentence: string) => ({
    status: 403,
    code: 'session-quota-exceeded',
    title: 'No more room',
    detail: sentence,
  }),
  /** The storage's own error may contain names and addresses, so only the log has it. */
  storage: (isFull: boolean) => ({
    status: isFull ? 507 : 503,
    code: 'session-storage',
    title: isFull ? 'No space left' : 'Sessions unavailable',
    detail: isFull
      ? 'The disk of this server is full, so nothing more can be kept. Delete sessions, or try again later.'
      : 'The sessions could not be read or written. Try again in a moment.',
    retryable: true,
    retryAfterMs: 2000,
  }),
  invalidOwner: {
    status: 400,
    code: 'invalid-request',
    title: 'Invalid owner',
    detail:
      'The owner in the query is no id of a principal: 1 to 1,000 characters without control characters.',
  },
  unknownCommand: {
    status: 404,
    code: 'command-not-found',
    title: 'Unknown command',
    detail: 'No command of this session has that id, or it was answered long ago. Give it again.',
  },
  invalidCommand: (issue: string) => ({
    status: 400,
    code: 'invalid-request',
    title: 'Invalid command',
    detail: `The body is not a command of a session: ${issue}`,
  }),
  notAllowed: (act: string) => ({
    status: 403,
    code: 'command-not-allowed',
    title: 'Forbidden',
    detail: `You may follow this session, but not ${act} in it.${
      act === 'grant' || act === 'inspect' ? ` The option access of the server allows it.` : ''
    }`,
  }),
  otherPerson: {
    status: 403,
    code: 'command-of-another',
    title: 'Forbidden',
    detail: 'Another person gave this command on this device. Give it again to send it as yourself.',
  },
  wrongMethod: {
    status: 405,
    code: 'method-not-allowed',
    title: 'Method not allowed',
    detail:
      'Use GET for agents, sessions, events and answers, POST for commands and to restore, PUT to move a session here, and DELETE to delete one.',
  },
  notReady: (reason: string) => ({
    status: 503,
    code: 'host-not-ready',
    title: 'Not ready',
    detail: `Sessions do not run here at the moment: ${reason}`,
    retryable: true,
    retryAfterMs: 2000,
  }),
} as const satisfies Record<string, Problem | ((...args: never[]) => Problem)>;
