import { AgentError } from '../../kit/agent-error.ts';

/** The error of a write that was based on a version which is no longer the stored one. */
export function conflict(id: string, expectedVersion: number, storedVersion: number): AgentError {
  const message =
    `Session ${JSON.stringify(id)} was changed elsewhere: version ${storedVersion} is stored, ${expectedVersion} was expected. ` +
    'Load it again before you write.';
  return new AgentError('session-conflict', message, { data: { id, expectedVersion, storedVersion } });
}
