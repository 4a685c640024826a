import { isAgentError } from '@vitrine/core';
import { type StoredHead, storedHeadVersion } from '@vitrine/core/stores';
import type { Problem } from '../problems/problem.ts';
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
