import { type Env, systemEnv } from '../../graph/env.ts';
import { eraseExpired } from '../stores/is-deleted.ts';
import type { SessionStore } from '../stores/session-store.ts';

/**
 * Erases sessions that were deleted more than 10 seconds ago. A custom store should call it when it is
 * opened.
 */
export async function eraseDeletedSessions(
  store: SessionStore,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  const { sessions } = await store.list({ status: 'deleted' });
  await eraseExpired(sessions, store.remove, env.now());
}
