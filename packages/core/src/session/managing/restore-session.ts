import { type Env, systemEnv } from '../../graph/env.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { isDeleted, undoMs } from '../stores/is-deleted.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';

/**
 * Brings back a session that was deleted less than 10 seconds ago, in every open view of it; a run that the deletion
 * stopped can be gone on with. Nothing happens to one that is not deleted.
 * @throws AgentError `session-deleted` when the time is over, `session-not-found` when it was erased, and what the store
 * throws.
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
