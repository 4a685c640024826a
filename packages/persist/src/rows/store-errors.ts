import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';

/** True for the error of an entry that is damaged, or that a later version wrote. */
export function isUnreadable(thrown: unknown): thrown is AgentError {
  return isAgentError(thrown, 'state-invalid') || isAgentError(thrown, 'state-version-unsupported');
}

/** Creates the error of a read, with the id of the session. Errors of the store stay unchanged. */
export function unreadable(id: string, thrown: unknown): AgentError {
  if (isUnreadable(thrown)) {
    const message = `Stored session ${JSON.stringify(id)} cannot be read: ${thrown.message} It was not changed.`;
    return new AgentError(thrown.code, message, { data: { ...thrown.data, id }, cause: thrown });
  }
  return isAgentError(thrown)
    ? thrown
    : storageError(id, 'read', thrown, 'Check that storage is not blocked.');
}

/** Adds the id of the session to read errors. Errors of the storage itself stay unchanged. */
export async function readNaming<Value>(id: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (thrown) {
    throw unreadable(id, thrown);
  }
}

/** The status of an unreadable session in a list: `newer` when a later version wrote it, else `broken`. */
export function unreadableStatus(thrown: unknown): 'broken' | 'newer' {
  if (!isAgentError(thrown, 'state-version-unsupported')) return 'broken';
  const { version, supported } = thrown.data;
  return Number(version) > Number(supported) ? 'newer' : 'broken';
}

export function unwritable(id: string, thrown: unknown): AgentError {
  return isAgentError(thrown)
    ? thrown
    : storageError(id, 'written', thrown, 'Delete old sessions to make room.');
}

function storageError(id: string, what: 'read' | 'written', cause: unknown, advice: string): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `Session ${JSON.stringify(id)} could not be ${what}: ${reason} ${advice}`;
  return new AgentError('session-storage', message, { data: { id }, cause });
}
