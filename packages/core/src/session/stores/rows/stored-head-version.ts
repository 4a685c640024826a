import { readHead } from './read-head.ts';
import { ownerOfOutbox, readOutbox } from './row-outbox.ts';
import type { StoredHead } from './row-storage.ts';
import { readVacancy } from './vacant-head.ts';

/**
 * Returns the version in a stored head after validating it.
 * It is 0 for a removed session, one that is not saved yet, and an outbox, whose id begins with "-".
 * @throws AgentError `state-invalid` for a damaged head, a foreign one or one of another id.
 * @throws AgentError `state-version-unsupported` for a newer one.
 */
export function storedHeadVersion(id: string, stored: StoredHead): number {
  if (ownerOfOutbox(id) !== null) return readOutbox(id, stored) && 0;
  return readVacancy(id, stored) === null ? readHead(id, stored).version : 0;
}
