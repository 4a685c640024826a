import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { eraseExpired, isDeleted, undoMs } from '@vitrine/core/internal/session/store/is-deleted';
import { type Head, headIn } from '../rows/head.ts';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';

/** The number of attempts. After a write of another writer, the change is applied to its head. */
const attempts = 8;

/**
 * Rewrites the head of a stored session; null leaves it unchanged.
 * @throws AgentError `session-not-found` when there is none, and the errors of the store and of `change`.
 */
async function changeHead(
  store: SessionStore,
  id: string,
  change: (head: Head) => Head | null,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const record = loadedSession(await store.load(id));
    if (record === null) throw notFound(id);
    const head = change(headIn(record));
    if (head === null) return;
    const { version: expectedVersion, epoch = 0, journal } = record;
    try {
      await store.append(id, { expectedVersion, epoch, journalId: journal.id, events: [], head });
      return;
    } catch (thrown) {
      if (attempt === attempts || !isAgentError(thrown, 'session-conflict')) throw thrown;
    }
  }
}

/** Creates the error of a session that is not stored. */
export function notFound(id: string): AgentError {
  return new AgentError('session-not-found', `There is no stored session ${JSON.stringify(id)}.`, {
    data: { id },
  });
}

/**
 * Sets a lasting title of a stored session. For a session that is open in this page, use `session.rename`
 * instead, because it keeps its own title.
 * @throws AgentError `session-not-found`, `session-deleted`, and the errors of the store.
 */
export async function renameSession(store: SessionStore, id: string, title: string): Promise<void> {
  if (store.served !== undefined) return store.served.rename(id, title);
  await changeHead(store, id, (head) => {
    if (isDeleted(head)) throw deletedError(id, '. Restore it before you rename it.');
    return head.title === title ? null : { ...head, title };
  });
}

function deletedError(id: string, what: string): AgentError {
  const message = `Session ${JSON.stringify(id)} was deleted${what}`;
  return new AgentError('session-deleted', message, { data: { id } });
}

/**
 * Deletes a stored session: every open view shows `deleted`, and its run stops. A session that is deleted already stays
 * unchanged. For 10 seconds `restoreSession` brings it back. Then it is erased, at the latest when a new page first
 * lists the store.
 * @throws AgentError `session-not-found`.
 * @throws AgentError `state-invalid` or `state-version-unsupported` for an unreadable session, which only the store's
 * own `remove` deletes.
 * @throws the errors of the store.
 */
export async function deleteSession(
  store: SessionStore,
  id: string,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  if (store.served !== undefined) return store.served.remove(id);
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

/**
 * Undoes the deletion of a session within 10 seconds, in every open view of it. A session that is not deleted stays
 * unchanged. A run that the deletion stopped can be continued.
 * @throws AgentError `session-deleted` when the time is over, `session-not-found` when it was erased, and the errors of
 * the store.
 */
export async function restoreSession(
  store: SessionStore,
  id: string,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  if (store.served !== undefined) return store.served.restore(id);
  await changeHead(store, id, (head) => {
    const { deletedAt = 0, ...kept } = head;
    if (!isDeleted(head)) return null;
    if (deletedAt + undoMs <= env.now())
      throw deletedError(id, ` more than ${undoMs / 1000} seconds ago and does not come back.`);
    return { ...kept, status: 'active' };
  });
}

/** Erases sessions that were deleted more than 10 seconds ago. A custom store should call it when it is opened. */
export async function eraseDeletedSessions(
  store: SessionStore,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  const { sessions } = await store.list({ status: 'deleted' });
  await eraseExpired(sessions, store.remove, env.now());
}

/**
 * Erases every session of a store with its files, at once and permanently, including deleted and unreadable ones. For
 * the end of a log-in on a shared computer. Open views show `deleted`, and their runs stop. Sessions that were never
 * stored are unknown here: dispose them first.
 * @throws the errors of the store; sessions not erased by then are still there.
 */
export async function clearSessions(
  store: SessionStore,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  for (const query of [{}, { status: 'deleted' }] as const) {
    const { sessions } = await store.list(query);
    for (const { id } of sessions) {
      await markDeleted(store, id, env);
      await store.remove(id);
    }
  }
}

/** Marks a session as deleted, so that its views stop writing. An unreadable session has no views. */
async function markDeleted(store: SessionStore, id: string, env: Env): Promise<void> {
  const deletedAt = Math.round(env.now());
  await changeHead(store, id, (head) => ({ ...head, status: 'deleted', deletedAt })).catch(() => undefined);
}
