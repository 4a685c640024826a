import { assertSessionId, isSessionId } from '@vitrine/core/internal/kit/ids';
import type { RowStorage, StoredHead } from './row-storage.ts';

/** In front of the id of a session it makes the id of its outbox. No session id has a control character. */
const outboxMark = '\0';

/** The id under which the outbox of a session is stored. */
export function outboxId(sessionId: string): string {
  return outboxMark + sessionId;
}

/** The session that owns the outbox of this id; null for the id of a session. */
export function ownerOfOutbox(id: string): string | null {
  return id.startsWith(outboxMark) ? id.slice(1) : null;
}

/** The id that a storage name stands for; null for a name that no session and no outbox has. */
export function idOfName(name: string): string | null {
  const isOutbox = name.startsWith('-');
  try {
    const id = decodeURIComponent(isOutbox ? name.slice(1) : name);
    // Two names of one session would be two sessions.
    if (!isSessionId(id) || nameOfSession(id) !== name.slice(isOutbox ? 1 : 0)) return null;
    return isOutbox ? outboxId(id) : id;
  } catch {
    return null;
  }
}

/**
 * The id of a session in letters, digits, `_`, `-` and `%`: percent-encoded, so that any storage can hold it in keys,
 * addresses and file names. It never begins with `-`, as the names of outboxes do.
 */
function nameOfSession(id: string): string {
  const encode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(id).replace(/^-|[.!~*'()]/g, encode);
}

/** @throws AgentError `id-invalid` for a text that is no session id */
function nameOf(id: string): string {
  const owner = ownerOfOutbox(id);
  assertSessionId(owner ?? id);
  return owner === null ? nameOfSession(id) : `-${nameOfSession(owner)}`;
}

/** A storage by the ids of sessions and outboxes, over one that knows their names. */
export function rowsById(storage: RowStorage): RowStorage {
  const { durability, blobs } = storage;
  return {
    durability,
    async heads() {
      const heads = new Map<string, StoredHead>();
      for (const [name, head] of await storage.heads()) {
        const id = idOfName(name);
        if (id !== null) heads.set(id, head);
      }
      return heads;
    },
    head: (id) => storage.head(nameOf(id)),
    read: (id) => storage.read(nameOf(id)),
    rows: (id, names) => storage.rows(nameOf(id), names),
    write: (id, write) => storage.write(nameOf(id), write),
    append: (id, append) => storage.append(nameOf(id), append),
    remove: (id, expected) => storage.remove(nameOf(id), expected),
    ...(blobs && {
      blobs: { put: (id, blob) => blobs.put(nameOf(id), blob), get: (hash) => blobs.get(hash) },
    }),
  };
}
