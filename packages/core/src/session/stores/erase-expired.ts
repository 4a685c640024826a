import { isDeleted, undoMs } from './is-deleted.ts';
import type { SessionStore, SessionSummary } from './session-store.ts';

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
