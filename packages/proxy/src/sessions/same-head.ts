import type { StoredHead } from '@vitrine/core/stores';

/** True when the stored head is the one that a write is based on; null stands for none. */
export function sameHead(stored: StoredHead | null, expected: StoredHead | null): boolean {
  return stored?.text === expected?.text && stored?.records === expected?.records;
}
