import { isAgentError } from '@vitrine/core';
import { type StoredHead, storedHeadTag, storedHeadVersion } from '@vitrine/core/stores';
import type { Problem } from '../guard/problems.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionLimits } from './session-routes-options.ts';

/**
 * The problem of a head that is stored before so many records: too large or damaged. Null for a valid one, and for one
 * of a newer page.
 */
export function checkHead(
  id: string,
  { text, records }: StoredHead,
  { headBytes }: Pick<SessionLimits, 'headBytes'>,
): Problem | null {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > headBytes) return sessionProblems.headTooLarge(bytes, headBytes);
  try {
    storedHeadVersion(id, { text, records });
    return null;
  } catch (thrown) {
    if (isAgentError(thrown, 'state-version-unsupported')) return null;
    return sessionProblems.invalid(`head: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** The stored version that a write is based on, or the reason why it is refused. */
type Condition = { readonly expected: StoredHead | null } | { readonly problem: Problem };

/**
 * Compares the expected version of a request (`If-Match`, `If-None-Match: *`) with the stored one. The write compares
 * again and must find the version that is returned here.
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
    // The version of a damaged head is unknown.
    return 0;
  }
}
