import type { SessionStore } from '@vitrine/react';
import { agentServer } from '@vitrine/react/server';
import { openedWithAgents } from '../agents/whole-agent.ts';
import { markOnServer } from './known-sessions.ts';

const { sessions, describe } = agentServer({ url: '/api' });
const listeners = new Set<(id: string | null) => void>();

/** The sessions on the demo's server. */
export const serverSessions: SessionStore = {
  ...openedWithAgents(sessions),
  subscribe(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** Notes that a session on the server may have another title, or has ended. */
export function serverSessionsChanged(): void {
  for (const listener of listeners) listener(null);
}

/** Asks the server for the agents that it runs; none when it cannot be reached. */
export async function serverAgents(): Promise<readonly string[]> {
  try {
    return (await describe()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/**
 * Looks for a session on the server. Resolves with the name of its agent, with null when it is not there, and with
 * `unknown` when the server does not answer.
 */
export async function findOnServer(sessionId: string): Promise<string | null> {
  const list = await sessions.list().catch(() => null);
  if (list === null) return 'unknown';
  const found = list.sessions.find(({ id }) => id === sessionId);
  if (found !== undefined) markOnServer(sessionId);
  return found?.agentName ?? null;
}
