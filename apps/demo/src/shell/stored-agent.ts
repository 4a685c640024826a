import type { SessionStore } from '@vitrine/react';
import { isMadeHere } from './use-session-id.ts';

const told = new WeakMap<SessionStore, Map<string, Promise<string | null>>>();

/** Who answers in a stored session, as its store tells it; null for a session of this page, of which nothing is stored. */
export function storedAgent(sessions: SessionStore, id: string): Promise<string | null> | null {
  if (isMadeHere(id)) return null;
  const asked = told.get(sessions) ?? new Map<string, Promise<string | null>>();
  told.set(sessions, asked);
  const name = asked.get(id) ?? nameIn(sessions, id);
  asked.set(id, name);
  return name;
}

async function nameIn(sessions: SessionStore, id: string): Promise<string | null> {
  const list = await sessions.list().catch(() => null);
  return list?.sessions.find((session) => session.id === id)?.agentName ?? null;
}
