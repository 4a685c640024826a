import { type Env, systemEnv } from '../../graph/env.ts';
import { isDeleted, undoMs } from '../stores/is-deleted.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';
import { eraseDeletedSessions } from './erase-deleted-sessions.ts';

/**
 * Deletes a stored session: it is marked at once, every open view of it shows `deleted`, and its run stops. For 10
 * seconds `restoreSession` brings it back; then it is erased, at the latest when the store is listed next by a new page.
 * Nothing happens to one that is deleted already.
 * @throws AgentError `session-not-found`; `state-invalid` or `state-version-unsupported` for what cannot be read, which
 * is never deleted but by the store's own `remove`; and what the store throws.
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
  // A process in Node need not wait for it.
  (timer as { unref?: () => void }).unref?.();
}
