import { contentHash } from '../../../kit/content-hash.ts';
import { readHead } from './read-head.ts';
import type { StoredHead } from './row-storage.ts';

/**
 * A short name of one stage of a session, for `ETag` and `If-Match`: every head is another text, and every record counts.
 * It says nothing of what is stored, and damaged heads have one too.
 */
export function storedHeadTag({ text, records }: StoredHead): string {
  return `${contentHash(text)}.${records}`;
}

/**
 * The version of a session by its stored head, after checking that the head is whole and of this session.
 * @throws AgentError `state-invalid` for one that is damaged, foreign or of another id, `state-version-unsupported` for
 * a newer one.
 */
export function storedHeadVersion(id: string, stored: StoredHead): number {
  return readHead(id, stored).version;
}
