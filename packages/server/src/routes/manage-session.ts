import { deleteSession, restoreSession } from '@vitrine/persist';
import { isAgentError, type SessionStore, type SessionSummary } from '@vitrine/core';
import { takeMovingSession } from '@vitrine/persist/internal/manage/moving-session';
import { writeStoredPast } from '@vitrine/persist/internal/manage/stored-past';
import type { GuardedRequest } from '@vitrine/proxy/internal/guard';
import { say } from '../run/bus-message.ts';
import { type AskedSession, type ServerParts, summaryIn } from './asked-session.ts';
import { serverProblems } from './problems.ts';

/** The deepest nesting of a session that moves: states of subagents are in the states of their callers. */
const sessionDepth = 500;

/** Answers a request about a whole session: its summary, its past, its deletion and its return, and one that moves here. */
export async function manageSession(
  asked: GuardedRequest,
  found: AskedSession,
  parts: ServerParts,
): Promise<Response> {
  const { method } = asked.request;
  const isPast = asked.route.endsWith('/past');
  if (method === 'GET' && !isPast) return summaryOf(asked, found, parts);
  // Only what grows is counted: who has no points left, or no room, reads and deletes all the same.
  if (isPast) return pastOf(asked, found, parts);
  if (method !== 'PUT') return keepOrNot(asked, found, parts);
  const entered = await asked.enter('request');
  if ('refused' in entered) return entered.refused;
  try {
    return await takeSession(asked, found, parts);
  } finally {
    entered.release();
  }
}

async function summaryOf(
  { refuse }: GuardedRequest,
  { address, kind }: AskedSession,
  { host }: ServerParts,
): Promise<Response> {
  const summary = await findSummary({ address, kind }, host);
  if (summary !== null) return Response.json(summary);
  return refuse(kind === 'deleted' ? serverProblems.deletedSession : serverProblems.unknownSession);
}

/** The stored past for a panel that came later. Null before a session is stored: consoles show a 404 as an error. */
async function pastOf(
  { refuse, principal }: GuardedRequest,
  { address, kind }: AskedSession,
  { host, access }: ServerParts,
): Promise<Response> {
  if (!(await access(principal, address, 'inspect'))) return refuse(serverProblems.notAllowed('inspect'));
  if (kind === 'deleted') return refuse(serverProblems.deletedSession);
  return Response.json(await writeStoredPast(host.sessions(address.owner), address.sessionId));
}

/** The summary of a stored session, also of a deleted one that is not removed yet; null for none. */
async function findSummary(
  { address, kind }: Pick<AskedSession, 'address' | 'kind'>,
  host: ServerParts['host'],
): Promise<SessionSummary | null> {
  return kind === 'new' ? null : summaryIn(host.sessions(address.owner), address.sessionId);
}

/** A list of the session, or an empty one, for a page that moves a session here: consoles show a 404 as an error. */
export async function listOne(
  { refuse }: GuardedRequest,
  found: AskedSession | null,
  { host }: ServerParts,
): Promise<Response> {
  const summary = found === null ? null : await findSummary(found, host);
  if (found?.kind === 'deleted' && summary === null) return refuse(serverProblems.deletedSession);
  return Response.json({ sessions: summary === null ? [] : [summary], cursor: null });
}

/** Deletes a session, or restores it. Whoever follows it sees that at once. */
async function keepOrNot(
  { request, refuse, principal }: GuardedRequest,
  { address, kind }: AskedSession,
  { host, access }: ServerParts,
): Promise<Response> {
  if (!(await access(principal, address, 'command'))) return refuse(serverProblems.notAllowed('command'));
  const sessions = host.sessions(address.owner);
  const { sessionId } = address;
  const isDeletion = request.method === 'DELETE';
  if (kind === 'new' && !(isDeletion && (await host.isAwake(address))))
    return refuse(serverProblems.unknownSession);
  try {
    if (isDeletion) await deleteOrErase(sessions, sessionId);
    else await restoreSession(sessions, sessionId);
  } catch (thrown) {
    if (isAgentError(thrown, 'session-deleted')) return refuse(serverProblems.deletedSession);
    if (isAgentError(thrown, 'session-not-found')) return refuse(serverProblems.unknownSession);
    throw thrown;
  }
  say(host.bus, address, { type: 'changed' });
  return new Response(null, { status: 204 });
}

/** Deletes a session. One of which no change can be written, as on a full disk, goes at once. */
async function deleteOrErase(sessions: SessionStore, id: string): Promise<void> {
  try {
    await deleteSession(sessions, id);
  } catch (thrown) {
    if (isAgentError(thrown, 'session-deleted')) throw thrown;
    await sessions.remove(id);
  }
}

/** Takes a session that a page moves here. It may hold what the page has approved, so it needs that right too. */
async function takeSession(
  { readJson, refuse, principal }: GuardedRequest,
  { address, agent, kind }: AskedSession,
  { host, limits, access }: ServerParts,
): Promise<Response> {
  for (const act of ['command', 'approve'] as const)
    if (!(await access(principal, address, act))) return refuse(serverProblems.notAllowed(act));
  if (kind === 'deleted') return refuse(serverProblems.deletedSession);
  const body = await readJson({ bytes: limits.sessionBytes, ms: limits.bodyMs, depth: sessionDepth });
  if ('refused' in body) return body.refused;
  const { owner, sessionId } = address;
  try {
    await takeMovingSession(host.sessions(owner), body.value, { sessionId, agentName: agent.name });
  } catch (thrown) {
    if (isAgentError(thrown, 'session-quota-exceeded')) return refuse(serverProblems.noRoom(thrown.message));
    if (isAgentError(thrown, 'session-conflict')) return refuse(serverProblems.existingSession);
    if (isAgentError(thrown, 'state-invalid') || isAgentError(thrown, 'state-version-unsupported'))
      return refuse(serverProblems.invalidSession(thrown.message));
    throw thrown;
  }
  // A process that dies before this line has the session, and the page gives it again.
  await host.wakeAt(address, 0);
  say(host.bus, address, { type: 'changed' });
  return new Response(null, { status: 204 });
}
