import { isDeleted, undoMs } from './is-deleted.ts';
import type { SessionStore, SessionSummary } from './session-store.ts';

/** Erases what was deleted so long ago that it does not come back; what was changed since stays. Never rejects. */
export async function eraseExpired(
  sessions: readonly SessionSummary[],
  remove: SessionStore['remove'],
  now: number,
): Promise<void> {
  for (const session of sessions) {
    if (!isDeleted(session) || session.deletedAt === undefined || session.deletedAt + undoMs > now) continue;
    // What cannot be erased now is hidden, and goes at the next opening.
    await remove(session.id, { expectedVersion: session.version }).catch(() => undefined);
  }
}
