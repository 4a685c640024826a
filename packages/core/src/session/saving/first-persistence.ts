import type { PersistenceState } from '../agent-session.ts';
import type { SessionStore } from '../stores/session-store.ts';

/** The persistence that the store reports before anything was read or written. */
export function firstPersistence(sessions: SessionStore | undefined): PersistenceState {
  return {
    status: sessions ? 'idle' : 'off',
    durability: sessions?.durability ?? 'none',
    warning: sessions?.warning ?? null,
    error: null,
  };
}
