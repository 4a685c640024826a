import { readHead } from './read-head.ts';
import type { StoredHead } from './row-storage.ts';

/**
 * The version of a session by its stored head, after checking that the head is whole and of this session.
 * @throws AgentError `state-invalid` for one that is damaged, foreign or of another id, `state-version-unsupported` for
 * a newer one.
 */
export function storedHeadVersion(id: string, stored: StoredHead): number {
  return readHead(id, stored).version;
}
