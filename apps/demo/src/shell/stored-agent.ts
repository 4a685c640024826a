import type { SessionStore } from '@vitrine/react';

/** Who answers in a session, as its store tells it; null where nothing is stored. */
export async function storedAgent(sessions: SessionStore, id: string): Promise<string | null> {
  const list = await sessions.list().catch(() => null);
  return list?.sessions.find((session) => session.id === id)?.agentName ?? null;
}
