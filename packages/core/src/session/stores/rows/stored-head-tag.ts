import { contentHash } from '../../../kit/content-hash.ts';
import type { StoredHead } from './row-storage.ts';

/**
 * A short name of one stage of a session, for `ETag` and `If-Match`: every head is another text, and every record counts.
 * It says nothing of what is stored, and damaged heads have one too.
 */
export function storedHeadTag({ text, records }: StoredHead): string {
  return `${contentHash(text)}.${records}`;
}
