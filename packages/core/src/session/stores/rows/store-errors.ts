import { AgentError, isAgentError } from '../../../kit/agent-error.ts';

/** What reading a stored session threw, with the session's name; errors of the store stay as they are. */
export function unreadable(id: string, thrown: unknown): Error {
  if (isAgentError(thrown, 'state-invalid') || isAgentError(thrown, 'state-version-unsupported')) {
    return new AgentError(
      thrown.code,
      `Stored session ${JSON.stringify(id)} cannot be read: ${thrown.message} It was not changed.`,
      { data: { ...thrown.data, id }, cause: thrown },
    );
  }
  return isAgentError(thrown) ? thrown : storageError(id, 'read', thrown, 'See that storage is not blocked.');
}

/** What a list says of a session that reading threw this for: a later version wrote it, or nobody can read it. */
export function unreadableStatus(thrown: unknown): 'broken' | 'newer' {
  if (!isAgentError(thrown, 'state-version-unsupported')) return 'broken';
  const { version, supported } = thrown.data;
  return Number(version) > Number(supported) ? 'newer' : 'broken';
}

/** What writing threw. */
export function unwritable(id: string, thrown: unknown): Error {
  return isAgentError(thrown)
    ? thrown
    : storageError(id, 'written', thrown, 'Delete old sessions to make room.');
}

function storageError(id: string, what: 'read' | 'written', cause: unknown, advice: string): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `Session ${JSON.stringify(id)} could not be ${what}: ${reason} ${advice}`;
  return new AgentError('session-storage', message, { data: { id }, cause });
}
