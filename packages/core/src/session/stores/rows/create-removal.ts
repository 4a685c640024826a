import { systemEnv } from '../../../graph/env.ts';
import { conflict } from '../session-conflict.ts';
import type { SessionStore, WriterOptions } from '../session-store.ts';
import type { SessionBases } from './session-bases.ts';
import { readHead } from './read-head.ts';
import { outboxName } from './row-outbox.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import { unreadable, unwritable } from './store-errors.ts';
import { readVacancy, type Vacancy, vacantWrite } from './vacant-head.ts';

/**
 * Creates the removal of sessions. One write replaces the session's head by a tombstone, so one of the two is
 * always stored.
 */
export function createRemoval(
  storage: RowStorage,
  bases: SessionBases,
  refused: (id: string, options: WriterOptions) => Promise<Error>,
): SessionStore['remove'] {
  return async (id, { expectedVersion } = {}) => {
    let isDone = false;
    while (!isDone) {
      const stored = await storage.head(id).catch((thrown: unknown) => {
        throw unreadable(id, thrown);
      });
      const last = lastOf(id, stored);
      if (expectedVersion !== undefined && expectedVersion !== last.storedVersion)
        throw conflict(
          id,
          { version: expectedVersion, epoch: last.epoch },
          { version: last.storedVersion, epoch: last.epoch },
        );
      bases.forget(id);
      isDone = last.vacancy?.removedAt != null || (await bury(id, stored, last, storage));
      // Another writer changed it meanwhile; without an expected version that one is removed too.
      if (!isDone && expectedVersion !== undefined) throw await refused(id, { expectedVersion });
    }
    await storage.remove(outboxName(id)).catch((thrown: unknown) => {
      throw unwritable(id, thrown);
    });
  };
}

type Last = {
  readonly epoch: number;
  /** The last version under the id, also of a removed session. */
  readonly version: number;
  /** The stored version; 0 where no session is stored. */
  readonly storedVersion: number;
  readonly vacancy: Vacancy | null;
};

/** Returns the last epoch and version under an id. A damaged head has neither and is removed all the same. */
function lastOf(id: string, stored: StoredHead | null): Last {
  const nothing = { epoch: 0, version: 0, storedVersion: 0, vacancy: null };
  if (stored === null) return nothing;
  try {
    const vacancy = readVacancy(id, stored);
    if (vacancy !== null)
      return { epoch: vacancy.epoch, version: vacancy.version, storedVersion: 0, vacancy };
    const { data, version } = readHead(id, stored);
    return { epoch: data.epoch ?? 0, version, storedVersion: version, vacancy: null };
  } catch {
    return nothing;
  }
}

/** Replaces the session by a tombstone. @returns false when the stored head is not the expected one */
async function bury(
  id: string,
  stored: StoredHead | null,
  { epoch, version }: Last,
  storage: RowStorage,
): Promise<boolean> {
  try {
    // Left-over rows of an interrupted first write, and files that wait for their message.
    if (stored === null) return await storage.remove(id);
    const removedAt = Math.round(systemEnv.now());
    const tombstone = { id, epoch, version, removedAt };
    try {
      return await storage.write(id, vacantWrite(stored, tombstone));
    } catch {
      // A full storage has room for the tombstone only after the session is gone.
      if (!(await storage.remove(id, stored))) return false;
      await storage.write(id, vacantWrite(null, tombstone)).catch(() => false);
      return true;
    }
  } catch (thrown) {
    throw unwritable(id, thrown);
  }
}
