import { type Env, systemEnv } from '../../graph/env.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';

/**
 * Erases every session of a store with its files, at once and permanently, including deleted and unreadable
 * ones. For the end of a log-in on a shared computer.
 * Open views show `deleted`, and their runs stop. Sessions that were never stored are unknown here: dispose
 * them first.
 * @throws the errors of the store; sessions not erased by then are still there.
 */
export async function clearSessions(
  store: SessionStore,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  for (const query of [{}, { status: 'deleted' }] as const) {
    const { sessions } = await store.list(query);
    for (const { id } of sessions) {
      await mark(store, id, env);
      await store.remove(id);
    }
  }
}

/** Marks a session as deleted, so that its views stop writing. An unreadable session has no views. */
async function mark(store: SessionStore, id: string, env: Env): Promise<void> {
  const deletedAt = Math.round(env.now());
  await changeHead(store, id, (head) => ({ ...head, status: 'deleted', deletedAt })).catch(() => undefined);
}
