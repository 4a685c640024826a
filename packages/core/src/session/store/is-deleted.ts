import type { SessionStore, SessionSummary } from './session-store.ts';

/** The time in which a deletion can be undone, in milliseconds; then the session is erased. */
export const undoMs = 10_000;

/** The time for which a removed session leaves a tombstone, in milliseconds: 30 days. */
export const tombstoneMs = 30 * 24 * 60 * 60 * 1000;

/** True for a session that was deleted and may not be erased yet. */
export function isDeleted({ status }: Pick<SessionSummary, 'status'>): boolean {
  return status === 'deleted';
}

/** Erases sessions whose deletion can no longer be undone; one that changed since stays. Never rejects. */
export async function eraseExpired(
  sessions: readonly SessionSummary[],
  remove: SessionStore['remove'],
  now: number,
): Promise<void> {
  for (const session of sessions) {
    if (!isDeleted(session) || session.deletedAt === undefined || session.deletedAt + undoMs > now) continue;
    // A session that cannot be erased now stays hidden and is erased at the next opening.
    await remove(session.id, { expectedVersion: session.version }).catch(() => undefined);
  }
}
