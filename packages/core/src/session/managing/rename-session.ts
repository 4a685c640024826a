import { AgentError } from '../../kit/agent-error.ts';
import { isDeleted } from '../stores/is-deleted.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { changeHead } from './change-head.ts';

/**
 * Sets a lasting title of a stored session. For a session that is open in this page, use `session.rename`
 * instead, because it keeps its own title.
 * @throws AgentError `session-not-found`, `session-deleted`, and the errors of the store.
 */
export async function renameSession(store: SessionStore, id: string, title: string): Promise<void> {
  await changeHead(store, id, (head) => {
    if (isDeleted(head)) throw deleted(id);
    return head.title === title ? null : { ...head, title };
  });
}

function deleted(id: string): AgentError {
  const message = `Session ${JSON.stringify(id)} was deleted. Restore it before you rename it.`;
  return new AgentError('session-deleted', message, { data: { id } });
}
