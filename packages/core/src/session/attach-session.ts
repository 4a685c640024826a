import type { AttachedSession, Persistence } from './persistence.ts';
import type { SessionStore } from './stores/session-store.ts';

/**
 * Attaches a session to the store that keeps it: the `attach` of every store of this library, and for one that an
 * application writes itself. The code is loaded here, when a session is first used.
 */
export async function attachSession(session: AttachedSession, sessions: SessionStore): Promise<Persistence> {
  const isShared = (sessions.tabs ?? null) !== null;
  const [{ createPersistence }, link] = await Promise.all([
    import('./create-persistence.ts'),
    isShared ? import('./link/session-link.ts') : null,
  ]);
  return createPersistence(session, sessions, link);
}
