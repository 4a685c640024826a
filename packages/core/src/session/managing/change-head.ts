import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { loadedSession } from '../stores/loaded-session.ts';
import type { SessionHead, SessionRecord, SessionStore } from '../stores/session-store.ts';

/** The number of attempts. After a write of another writer, the change is applied to its head. */
const attempts = 8;

type Head = Omit<SessionHead, 'version'>;

/**
 * Rewrites the head of a stored session; null leaves it unchanged.
 * @throws AgentError `session-not-found` when there is none, and the errors of the store and of `change`.
 */
export async function changeHead(
  store: SessionStore,
  id: string,
  change: (head: Head) => Head | null,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const record = loadedSession(await store.load(id));
    if (record === null) throw notFound(id);
    const head = change(headOf(record));
    if (head === null) return;
    try {
      await write(store, record, head);
      return;
    } catch (thrown) {
      if (attempt === attempts || !isAgentError(thrown, 'session-conflict')) throw thrown;
    }
  }
}

/** Writes the head alone where the store appends, so that the conversation is not written again. */
async function write(store: SessionStore, record: SessionRecord, head: Head): Promise<void> {
  const { id, version: expectedVersion, epoch = 0, state, journal, branches, checkpoints } = record;
  if (store.append === undefined) {
    const whole = { ...head, version: expectedVersion, state, journal, branches, checkpoints };
    await store.save(whole, { expectedVersion, epoch });
    return;
  }
  const at = { expectedVersion, epoch, journalId: journal.id, record: journal.records };
  await store.append(id, { ...at, events: [], head });
}

function headOf(record: SessionRecord): Head {
  const { version: _version, state: _state, journal: _journal, branches: _branches, ...rest } = record;
  const { checkpoints: _checkpoints, epoch: _epoch, taken: _taken, ...head } = rest;
  return head;
}

/** Creates the error of a session that is not stored. */
export function notFound(id: string): AgentError {
  return new AgentError('session-not-found', `There is no stored session ${JSON.stringify(id)}.`, {
    data: { id },
  });
}
