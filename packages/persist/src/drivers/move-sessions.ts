import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { contentHash } from '@vitrine/core/internal/kit/hash';
import { isDeleted } from '@vitrine/core/internal/session/store/is-deleted';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { FullSessionStore, SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { idOfName, ownerOfOutbox } from '../rows/rows-by-id.ts';
import { isUnreadable } from '../rows/store-errors.ts';
import { underLock } from '../rows/under-lock.ts';

/**
 * Moves sessions from one store into another. A session that differs in the other store becomes a fork beside it, so
 * nothing is overwritten. The page may die after any step: the next visit recognises moved sessions by their content
 * and continues.
 * @throws AgentError of a store that could not be read or written; sessions not moved by then stay where they were.
 */
export async function moveSessions(
  from: FullSessionStore,
  to: FullSessionStore,
  names: readonly string[],
): Promise<void> {
  const ids = names.map(idOfName).filter((id) => id !== null);
  const owners = ids.map(ownerOfOutbox);
  // Outboxes go first, because they are removed with their sessions.
  for (const owner of owners) if (owner !== null) await moveOutbox(from, to, owner);
  for (const [at, id] of ids.entries())
    if (owners[at] === null) await underLock(`vitrine:move:${id}`, () => moveSession(from, to, id));
}

async function moveSession(from: FullSessionStore, to: FullSessionStore, id: string): Promise<void> {
  const left = await readable(from, id);
  if (left === null) return;
  if (!isDeleted(left)) await put(from, to, left);
  try {
    await from.remove(id, { expectedVersion: left.version });
  } catch (thrown) {
    // A tab with an older version of the page wrote to it; the next visit moves that.
    if (!isAgentError(thrown, 'session-conflict')) throw thrown;
  }
}

/** Saves the session under its own id when that is free, else as a fork with an id made from its content. */
async function put(from: FullSessionStore, to: FullSessionStore, left: SessionRecord): Promise<void> {
  const { id } = left;
  const newRuns = await from.runs(id);
  const forkId = `${[...id].slice(0, 90).join('')}-${contentHash(JSON.stringify([id, left.journal, left.state]))}`;
  for (const candidate of [left, { ...left, id: forkId, parentId: id }]) {
    const found = await to.load(candidate.id).catch(unreadable);
    if (found.kind === 'unknown') throw found.error;
    if (found.kind === 'there' && holds(found.session, candidate)) return;
    if (found.kind !== 'absent') continue;
    try {
      await to.save(candidate, { expectedVersion: 0, epoch: found.epoch, newRuns });
      return;
    } catch (thrown) {
      // Another writer took the id meanwhile.
      if (!isAgentError(thrown, 'session-conflict')) throw thrown;
    }
  }
}

/** Reads a session to move; null for one that cannot be read, which stays. */
async function readable(from: FullSessionStore, id: string): Promise<SessionRecord | null> {
  const found = await from.load(id).catch(unreadable);
  if (found.kind === 'unknown') throw found.error;
  return found.kind === 'there' ? found.session : null;
}

function unreadable(thrown: unknown): { readonly kind: 'damaged' } {
  if (isUnreadable(thrown)) return { kind: 'damaged' };
  throw thrown;
}

/**
 * True when the stored session has all messages of the other one, so it was moved before and may have continued.
 * Messages keep their ids on every way.
 */
function holds(stored: SessionRecord, left: SessionRecord): boolean {
  const text = JSON.stringify([stored.state, stored.journal.tail, stored.branches, stored.queue]);
  const said = [...messages(liveRecord(left).state), ...left.queue];
  const isDraftKept = left.draft === '' || left.state.agentId === stored.state.agentId;
  return isDraftKept && said.every(({ id }) => text.includes(JSON.stringify(id)));
}

async function moveOutbox(from: FullSessionStore, to: FullSessionStore, id: string): Promise<void> {
  const commands = await from.outbox.take(id);
  for (const command of commands) await to.outbox.put(id, command);
  await from.outbox.drop(
    id,
    commands.map((command) => command.id),
  );
}
