import type { StoredPast } from './hub.ts';
import type { SessionStore } from './stores/session-store.ts';

/**
 * What a store keeps of a session's past; null without a store or when nothing is stored. Written first, so that nothing
 * is missing between what is stored and what is heard from now on.
 */
export async function storedPast(
  sessions: SessionStore | undefined,
  sessionId: string,
  flush: () => Promise<unknown>,
): Promise<StoredPast | null> {
  await flush();
  const record = (await sessions?.load(sessionId)) ?? null;
  if (record === null) return null;
  const runs = (await sessions?.runs?.(sessionId)) ?? [];
  const { id, tail } = record.journal;
  return { runs, journal: { id, base: record.state, events: tail } };
}
