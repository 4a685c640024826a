import { problemOf } from '@vitrine/proxy/internal/guard';

export const serverProblems = {
  unknownAgent: (names: readonly string[]) =>
    problemOf(
      [404, 'unknown-agent', 'Unknown agent'],
      `This server has no such agent. It has: ${names.join(', ')}.`,
    ),
  unknownSession: problemOf(
    [404, 'session-not-found', 'Unknown session'],
    'This session does not exist for you under this agent. Check its id.',
  ),
  deletedSession: problemOf(
    [410, 'session-deleted', 'Deleted session'],
    'This session was deleted, so it takes no commands. Start a new one.',
  ),
  existingSession: problemOf(
    [409, 'session-conflict', 'Session exists'],
    'Another session has this id here, so this one stays where it is. Fork it to move a copy.',
  ),
  invalidSession: (issue: string) =>
    problemOf(
      [400, 'state-invalid', 'Invalid session'],
      `The body is not a session that moves here: ${issue}`,
    ),
  noRoom: (sentence: string) => problemOf([403, 'session-quota-exceeded', 'No more room'], sentence),
  /** The storage's own error may contain names and addresses, so only the log has it. */
  storage: (isFull: boolean) =>
    problemOf(
      isFull ? [507, 'session-storage', 'No space left'] : [503, 'session-storage', 'Sessions unavailable'],
      isFull
        ? 'The disk of this server is full, so nothing more can be kept. Delete sessions, or try again later.'
        : 'The sessions could not be read or written. Try again in a moment.',
      { retryable: true, retryAfterMs: 2000 },
    ),
  invalidOwner: problemOf(
    [400, 'invalid-request', 'Invalid owner'],
    'The owner in the query is no id of a principal: 1 to 1,000 characters without control characters.',
  ),
  unknownCommand: problemOf(
    [404, 'command-not-found', 'Unknown command'],
    'No command of this session has that id, or it was answered long ago. Give it again.',
  ),
  invalidCommand: (issue: string) =>
    problemOf(
      [400, 'invalid-request', 'Invalid command'],
      `The body is not a command of a session: ${issue}`,
    ),
  notAllowed(act: string) {
    const hint = act === 'grant' || act === 'inspect' ? ' The option access of the server allows it.' : '';
    const detail = `You may follow this session, but not ${act} in it.${hint}`;
    return problemOf([403, 'command-not-allowed', 'Forbidden'], detail);
  },
  otherModel: (model: string) =>
    problemOf(
      [403, 'model-not-allowed', 'Model not allowed'],
      `You may not choose the model ${JSON.stringify(model)}, or its reasoning, here. The option allowModel of the server allows it.`,
    ),
  otherPerson: problemOf(
    [403, 'command-of-another', 'Forbidden'],
    'Another person gave this command on this device. Give it again to send it as yourself.',
  ),
  wrongMethod: problemOf(
    [405, 'method-not-allowed', 'Method not allowed'],
    'Use GET for agents, sessions, events and answers, POST for commands and to restore, PUT to move a session here, and DELETE to delete one.',
  ),
  notReady: (reason: string) =>
    problemOf([503, 'host-not-ready', 'Not ready'], `Sessions do not run here at the moment: ${reason}`, {
      retryable: true,
      retryAfterMs: 2000,
    }),
};
