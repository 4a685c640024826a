import { isDeleted } from '../stores/is-deleted.ts';
import type { SessionLoad, SessionRecord, SessionStore } from '../stores/session-store.ts';
import type { Stored } from './saved.ts';

/** Checks for a deletion, or its undoing, by another page. */
export type StoredElsewhere = {
  /**
   * True when the stored session was deleted. A session that the browser evicted was not; it is saved anew.
   */
  readonly wasRemoved: () => Promise<boolean>;
  /** True when another page or device wrote since; null when that is not known now. */
  readonly hasMoved: () => Promise<boolean | null>;
  /** True when the deleted session is stored again because the deletion was undone. */
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
        const found = await sessions.load(known.head.id);
        return isGone(found) && stored() === known && !isBusy();
      } catch {
        return false;
      }
    },
    async hasMoved() {
      const known = stored();
      if (sessions === undefined || known === null || isBusy()) return null;
      try {
        const found = await sessions.load(known.head.id);
        if (found.kind !== 'there' || stored() !== known || isBusy()) return null;
        return found.session.version !== known.version;
      } catch {
        return null;
      }
    },
    async isBack() {
      const record = await read().catch(() => null);
      const known = stored();
      // Another session may have taken the id of an erased one.
      return (
        record !== null && !isDeleted(record) && (known === null || known.journalId === record.journal.id)
      );
    },
  };
}

function isGone(found: SessionLoad): boolean {
  if (found.kind === 'there') return isDeleted(found.session);
  return found.kind === 'absent' && found.removedAt !== null;
}
