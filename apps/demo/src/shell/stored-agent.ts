import type { SessionStore } from '@vitrine/react';

type Asked = { readonly id: string; readonly answer: Promise<string | null> };

const lastAsked = new WeakMap<SessionStore, Asked>();

/**
 * Who answers in a session, as its store tells it; null where nothing is stored. The same promise for the session that
 * was asked for last: React forgets what it keeps for a page that waits before it was ever shown, and a page that asks
 * anew each time waits for ever.
 */
export function storedAgent(sessions: SessionStore, id: string): Promise<string | null> {
  const last = lastAsked.get(sessions);
  if (last?.id === id) return last.answer;
  const answer = readAgent(sessions, id);
  lastAsked.set(sessions, { id, answer });
  return answer;
}

async function readAgent(sessions: SessionStore, id: string): Promise<string | null> {
  const list = await sessions.list().catch(() => null);
  return list?.sessions.find((session) => session.id === id)?.agentName ?? null;
}
