import type { StoredPast } from './hub.ts';
import type { SessionStore } from './stores/session-store.ts';

/** What a store keeps of a session's past; null without a store or when nothing is stored. */
export async function storedPast(
  sessions: SessionStore | undefined,
  sessionId: string,
): Promise<StoredPast | null> {
  const record = (await sessions?.load(sessionId)) ?? null;
  if (record === null) return null;
  const runs = (await sessions?.runs?.(sessionId)) ?? [];
  const { id, tail } = record.journal;
  return { runs, journal: { id, base: record.state, events: tail } };
}
