import { type Env, systemEnv } from '../../graph/env.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';

/**
 * Erases every session of a store with its files, at once and for ever: those that were deleted or cannot be read too.
 * For the end of a log-in on a shared computer. Open views show `deleted`, and their runs stop. What was never stored
 * is not known here: dispose such sessions first.
 * @throws What the store throws; what was not erased by then is still there.
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

/** Views hear that it was deleted, and write nothing more; what cannot be read has none. */
async function mark(store: SessionStore, id: string, env: Env): Promise<void> {
  const deletedAt = Math.round(env.now());
  await changeHead(store, id, (head) => ({ ...head, status: 'deleted', deletedAt })).catch(() => undefined);
}
