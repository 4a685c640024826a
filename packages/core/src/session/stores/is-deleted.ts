import type { SessionSummary } from './session-store.ts';

/** The time in which a deletion can be undone, in milliseconds; then the session is erased. */
export const undoMs = 10_000;

/** The time for which a removed session leaves a tombstone, in milliseconds: 30 days. */
export const tombstoneMs = 30 * 24 * 60 * 60 * 1000;

/** True for a session that was deleted and may not be erased yet. */
export function isDeleted({ status }: Pick<SessionSummary, 'status'>): boolean {
  return status === 'deleted';
}
