import { type Env, systemEnv } from '../../graph/env.ts';
import { isDeleted, undoMs } from '../stores/is-deleted.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';
import { eraseDeletedSessions } from './erase-deleted-sessions.ts';

/**
 * Deletes a stored session: every open view shows `deleted`, and its run stops. A session that is deleted
 * already stays unchanged.
 * For 10 seconds `restoreSession` brings it back. Then it is erased, at the latest when a new page first
 * lists the store.
 * @throws AgentError `session-not-found`.
 * @throws AgentError `state-invalid` or `state-version-unsupported` for an unreadable session, which only the
 * store's own `remove` deletes.
 * @throws the errors of the store.
 */
export async function deleteSession(
  store: SessionStore,
  id: string,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  await changeHead(store, id, (head) =>
    isDeleted(head) ? null : { ...head, status: 'deleted', deletedAt: Math.round(env.now()) },
  );
  const timer = setTimeout(
    () => void eraseDeletedSessions(store, { env }).catch(() => undefined),
    undoMs + 1,
  );
  // The timer must not keep a Node process alive.
  (timer as { unref?: () => void }).unref?.();
}
