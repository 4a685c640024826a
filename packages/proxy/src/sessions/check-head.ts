import { isAgentError } from '@vitrine/core';
import { storedHeadVersion } from '@vitrine/core/stores';
import type { Problem } from '../problems/problem.ts';
import { sessionProblems } from './session-problems.ts';

/** What is wrong with a head that is to be stored before so many records; null when nothing is, or a newer page made it. */
export function checkHead(id: string, text: string, records: number): Problem | null {
  try {
    storedHeadVersion(id, { text, records });
    return null;
  } catch (thrown) {
    if (isAgentError(thrown, 'state-version-unsupported')) return null;
    return sessionProblems.invalid(`head: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
