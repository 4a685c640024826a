import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import type { SessionHead, SessionRecord, SessionStore } from '../stores/session-store.ts';

/** Others may write between our reading and writing: their change stays, and ours is put on top. */
const attempts = 8;

type Head = Omit<SessionHead, 'version'>;

/**
 * Writes the head of a stored session anew; null leaves it as it is.
 * @throws AgentError `session-not-found` when there is none, and what the store and `change` throw.
 */
export async function changeHead(
  store: SessionStore,
  id: string,
  change: (head: Head) => Head | null,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const record = await store.load(id);
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

/** The head alone where the store can: the conversation is not written again. */
async function write(store: SessionStore, record: SessionRecord, head: Head): Promise<void> {
  const { id, version: expectedVersion, state, journal, branches, checkpoints } = record;
  if (store.append === undefined) {
    const whole = { ...head, version: expectedVersion, state, journal, branches, checkpoints };
    await store.save(whole, { expectedVersion });
    return;
  }
  const at = { expectedVersion, journalId: journal.id, record: journal.records };
  await store.append(id, { ...at, events: [], head });
}

function headOf(record: SessionRecord): Head {
  const { version: _version, state: _state, journal: _journal, branches: _branches, ...rest } = record;
  const { checkpoints: _checkpoints, ...head } = rest;
  return head;
}

/** The error of a session that is not stored. */
export function notFound(id: string): AgentError {
  return new AgentError('session-not-found', `There is no stored session ${JSON.stringify(id)}.`, {
    data: { id },
  });
}
