import { type Env, systemEnv } from '../../graph/env.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { isDeleted, undoMs } from '../stores/is-deleted.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';

/**
 * Undoes the deletion of a session within 10 seconds, in every open view of it. A session that is not deleted
 * stays unchanged.
 * A run that the deletion stopped can be continued.
 * @throws AgentError `session-deleted` when the time is over, `session-not-found` when it was erased, and the
 * errors of the store.
 */
export async function restoreSession(
  store: SessionStore,
  id: string,
  { env = systemEnv }: { env?: Env } = {},
): Promise<void> {
  await changeHead(store, id, (head) => {
    const { deletedAt = 0, ...kept } = head;
    if (!isDeleted(head)) return null;
    if (deletedAt + undoMs <= env.now()) throw tooLate(id);
    return { ...kept, status: 'active' };
  });
}

function tooLate(id: string): AgentError {
  const message = `Session ${JSON.stringify(id)} was deleted more than ${undoMs / 1000} seconds ago and does not come back.`;
  return new AgentError('session-deleted', message, { data: { id } });
}
