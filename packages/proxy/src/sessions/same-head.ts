import type { StoredHead } from '@vitrine/core/stores';

/** True when what is stored is what a write builds on; null: nothing. */
export function sameHead(stored: StoredHead | null, expected: StoredHead | null): boolean {
  return stored?.text === expected?.text && stored?.records === expected?.records;
}
