import type { SessionSummary } from './session-store.ts';

/** So long a deleted session can be brought back, in milliseconds; then it is erased. */
export const undoMs = 10_000;

/** True for a session that was deleted and may not be erased yet. */
export function isDeleted({ status }: Pick<SessionSummary, 'status'>): boolean {
  return status === 'deleted';
}
