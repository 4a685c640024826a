import { contentHash } from '../../../kit/hash.ts';
import type { StoredHead } from './row-storage.ts';

/**
 * A short tag of one stage of a session, for `ETag` and `If-Match`. Every head text differs, and every record
 * counts.
 * The tag reveals no content, and damaged heads have one too.
 */
export function storedHeadTag({ text, records }: StoredHead): string {
  return `${contentHash(text)}.${records}`;
}
