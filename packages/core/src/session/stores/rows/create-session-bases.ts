import { conflict } from '../session-conflict.ts';
import { openSession } from './open-session.ts';
import type { RowBook } from './encode-session.ts';
import type { RowStorage } from './row-storage.ts';
import type { SessionBasis } from './session-basis.ts';
import { readHead } from './read-head.ts';

/** Sessions whose basis is kept: whoever has more open reads one again now and then. */
const keptBases = 32;

/** The bases of the sessions that were read or written last. They are only believed if their head is stored still. */
export type SessionBases = {
  readonly set: (id: string, basis: SessionBasis) => void;
  readonly forget: (id: string) => void;
  /**
   * What a write on this version builds on; null for the version 0 of what is not stored.
   * @throws AgentError `session-conflict` when another version is stored, and what reading throws.
   */
  readonly of: (id: string, expectedVersion: number, needs: 'head' | 'graph') => Promise<SessionBasis | null>;
};

export function createSessionBases(storage: RowStorage, book: () => RowBook): SessionBases {
  const known = new Map<string, SessionBasis>();

  function set(id: string, basis: SessionBasis): void {
    known.delete(id);
    known.set(id, basis);
    for (const oldest of known.keys()) {
      if (known.size <= keptBases) return;
      known.delete(oldest);
    }
  }

  async function read(id: string, needs: 'head' | 'graph'): Promise<SessionBasis | null> {
    if (needs === 'head') {
      const stored = await storage.head(id);
      return stored === null ? null : { head: readHead(id, stored), graph: null };
    }
    const stored = await storage.read(id);
    return stored === null ? null : openSession(id, stored, book()).basis;
  }

  return {
    set,
    forget: (id) => void known.delete(id),
    async of(id, expectedVersion, needs) {
      const kept = known.get(id);
      if (kept?.head.version === expectedVersion && (needs === 'head' || kept.graph !== null)) return kept;
      const found = await read(id, needs);
      const storedVersion = found?.head.version ?? 0;
      if (storedVersion !== expectedVersion) throw conflict(id, expectedVersion, storedVersion);
      // Another session of the same number: the caller speaks of one that is gone.
      if (kept?.head.version === expectedVersion && kept.head.stored.text !== found?.head.stored.text)
        throw conflict(id, expectedVersion, storedVersion);
      return found;
    },
  };
}
