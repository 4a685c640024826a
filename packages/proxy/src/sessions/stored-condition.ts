import { type StoredHead, storedHeadTag, storedHeadVersion } from '@vitrine/core/stores';
import type { Problem } from '../problems/problem.ts';
import { sessionProblems } from './session-problems.ts';

/** What a write builds on, or why it may not be made. */
export type Condition = { readonly expected: StoredHead | null } | { readonly problem: Problem };

/**
 * Compares what a request expects (`If-Match`, `If-None-Match: *`) with what is stored. The write compares again: what
 * is given here is what it has to find.
 */
export function storedCondition(headers: Headers, id: string, stored: StoredHead | null): Condition {
  const match = headers.get('if-match');
  if (match === null && headers.get('if-none-match') !== '*') return { problem: sessionProblems.noCondition };
  if (match === null) return stored === null ? { expected: null } : { problem: conflictWith(id, stored) };
  if (stored === null) return { problem: sessionProblems.unknown };
  const isSame = match === `"${storedHeadTag(stored)}"`;
  return isSame ? { expected: stored } : { problem: conflictWith(id, stored) };
}

export function conflictWith(id: string, stored: StoredHead | null): Problem {
  return sessionProblems.conflict(stored === null ? 0 : versionOf(id, stored));
}

function versionOf(id: string, stored: StoredHead): number {
  try {
    return storedHeadVersion(id, stored);
  } catch {
    // Nobody can say of what is damaged.
    return 0;
  }
}
