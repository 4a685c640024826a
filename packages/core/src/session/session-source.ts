import { AgentError } from '../kit/agent-error.ts';
import type { AgentSession } from './agent-session.ts';

/**
 * The session behind another interface: one session for one thread, or a function that gives the session of each
 * thread, and null for a thread that the request may not see.
 */
export type SessionSource<Request> =
  AgentSession | ((threadId: string, request: Request) => AgentSession | null | Promise<AgentSession | null>);

/** The thread of each session that was given alone: the first one that asked. A stored one may be known, too. */
const threads = new WeakMap<AgentSession, string>();

/**
 * The session of a thread. A session that was given alone has the first thread that asks, and the one of its own id.
 * @param storedThread The thread that a session which is ready keeps with its state; null for none.
 * @throws AgentError `session-not-found` for another thread, and for one that the function refuses
 */
export async function findSession<Request>(
  source: SessionSource<Request>,
  threadId: string,
  request: Request,
  storedThread: (session: AgentSession) => string | null = () => null,
): Promise<AgentSession> {
  if (typeof source === 'function') {
    const session = await source(threadId, request);
    if (session === null) throw refusal(`There is no session for the thread ${JSON.stringify(threadId)}.`);
    return session;
  }
  await source.ready;
  return ofOneThread(source, threadId, storedThread(source));
}

/** A session for its one thread. @throws AgentError `session-not-found` for another thread */
export function ofOneThread(
  session: AgentSession,
  threadId: string,
  storedThread: string | null = null,
): AgentSession {
  const first = threads.get(session) ?? storedThread ?? threadId;
  threads.set(session, first);
  if (threadId === first || threadId === session.id()) return session;
  throw refusal(
    'This session is another thread. Give the client the id of the session, or give (threadId) => session, with a session for each thread.',
  );
}

function refusal(message: string): AgentError {
  return new AgentError('session-not-found', message);
}
