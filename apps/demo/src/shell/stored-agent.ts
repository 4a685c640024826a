import type { SessionStore } from '@vitrine/react';
import { forgetOnServer, knownSessions } from '../server/known-sessions.ts';
import { loadServer } from '../server/load-server.ts';

/** The agent that the server runs. */
const onlyOnServer = 'researcher';

type Asked = { readonly id: string; readonly answer: Promise<string | null> };

const lastAsked = new WeakMap<SessionStore, Asked>();

/**
 * Reads the name of a session's agent from its store, or from the server; null when nothing is stored.
 *
 * Returns the same promise for the last session read. React drops the state of a page that suspends before
 * its first render, so a new promise each time would suspend forever.
 */
export function storedAgent(sessions: SessionStore, id: string): Promise<string | null> {
  const last = lastAsked.get(sessions);
  if (last?.id === id) return last.answer;
  const answer = readAgent(sessions, id);
  lastAsked.set(sessions, { id, answer });
  return answer;
}

async function readAgent(sessions: SessionStore, id: string): Promise<string | null> {
  const isKnown = knownSessions().includes(id);
  const list = await sessions.list().catch(() => null);
  const found = list?.sessions.find((session) => session.id === id);
  if (found !== undefined && !isKnown && found.movedTo === undefined) return found.agentName;
  const server = await loadServer().catch(() => null);
  const there = (await server?.findOnServer(id)) ?? (server === null ? 'unknown' : null);
  if (there !== null && there !== 'unknown') return there;
  // A server that lost its data: the copy of this browser is what is left.
  if (there === null && found !== undefined) forgetOnServer(id);
  return found?.agentName ?? (isKnown ? onlyOnServer : null);
}
