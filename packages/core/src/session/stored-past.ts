import type { StoredPast } from './hub.ts';
import { loadedSession } from './stores/loaded-session.ts';
import type { SessionStore } from './stores/session-store.ts';

/**
 * Reads the past of a session from its store; null without a store or a stored session.
 * It writes first, so that no event is missing between the stored ones and later ones.
 */
export async function storedPast(
  sessions: SessionStore | undefined,
  sessionId: string,
  flush: () => Promise<unknown>,
): Promise<StoredPast | null> {
  await flush();
  const record = sessions === undefined ? null : loadedSession(await sessions.load(sessionId));
  if (record === null) return null;
  const runs = (await sessions?.runs?.(sessionId)) ?? [];
  const { id, tail } = record.journal;
  return { runs, journal: { id, base: record.state, events: tail } };
}
