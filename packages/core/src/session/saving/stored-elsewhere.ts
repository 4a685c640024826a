import { isDeleted } from '../stores/is-deleted.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import type { Stored } from './saved.ts';

/** What others may have done with the stored session as a whole. */
export type StoredElsewhere = {
  /** True when the entry that was written or read was deleted, or is not there any more. */
  readonly wasRemoved: () => Promise<boolean>;
  /** True when the session that was deleted is stored again: the deletion was taken back. */
  readonly isBack: () => Promise<boolean>;
};

export function createStoredElsewhere(options: {
  readonly sessions: SessionStore | undefined;
  readonly read: () => Promise<SessionRecord | null>;
  readonly stored: () => Stored | null;
  readonly isBusy: () => boolean;
}): StoredElsewhere {
  const { sessions, read, stored, isBusy } = options;
  return {
    async wasRemoved() {
      const known = stored();
      if (sessions === undefined || known === null || isBusy()) return false;
      try {
        const record = await sessions.load(known.head.id);
        return (record === null || isDeleted(record)) && stored() === known && !isBusy();
      } catch {
        return false;
      }
    },
    async isBack() {
      const record = await read().catch(() => null);
      const known = stored();
      // Another session may have taken the id of one that was erased.
      return (
        record !== null && !isDeleted(record) && (known === null || known.journalId === record.journal.id)
      );
    },
  };
}
