import { type AgentDefinition, type AgentError, isAgentError, type SessionStore } from '@vitrine/core';
import { positionFromText } from '@vitrine/core/link';
import { isSessionId } from '@vitrine/core/stores';
import type { GuardedRequest } from '@vitrine/proxy/guard';
import { say } from '../run/bus-message.ts';
import { follow } from '../run/follow.ts';
import { withinLimits } from '../run/grant-limits.ts';
import { agentOf } from '../run/session-runner.ts';
import { isAlwaysKept, isDiskFull } from '../host/owner-limits.ts';
import type { HostedCommand, SessionAddress, SessionHost } from '../host/session-host.ts';
import { actsOf } from './command-rights.ts';
import { readCommand } from './command-shape.ts';
import { listOne, manageSession } from './manage-session.ts';
import { type AskedSession, kindOf, type ServerParts } from './asked-session.ts';
import { serverProblems } from './problems.ts';

const routes =
  /\/agents(?:\/[^/]+\/sessions(?:\/[^/]+(?:\/(?:events|past|restore|commands(?:\/[^/]+)?))?)?)?(?=\/?$)/;

/** The route that a path names by its end; null for none. */
export function routeOf(path: string): string | null {
  return routes.exec(path)?.[0] ?? null;
}

/** The name of a route for logs, without names of agents and ids. */
export function nameOfRoute(route: string): string {
  const [, , agent, , session, what, command] = route.split('/');
  if (agent === undefined) return '/agents';
  if (session === undefined) return '/agents/:agent/sessions';
  if (what === undefined) return '/agents/:agent/sessions/:id';
  return `/agents/:agent/sessions/:id/${what}${command === undefined ? '' : '/:command'}`;
}

/** Answers a request of a known principal. A storage that fails says so as what it is, and nobody's mistake. */
export async function answerRoute(asked: GuardedRequest, parts: ServerParts): Promise<Response> {
  try {
    return await answerOf(asked, parts);
  } catch (thrown) {
    if (!isAgentError(thrown, 'session-storage')) throw thrown;
    return asked.refuse(serverProblems.storage(isDiskFull(thrown)), thrown);
  }
}

async function answerOf(asked: GuardedRequest, parts: ServerParts): Promise<Response> {
  const { agents } = parts;
  const { request, route, principal, refuse } = asked;
  const [, , name, , idInPath, what, commandId] = route.split('/').map(decoded);
  if (!isMethodOf(request.method, { id: idInPath, what, commandId }))
    return refuse(serverProblems.wrongMethod);
  if (name === undefined) return Response.json({ agents: Object.entries(agents).map(describe) });
  const agent = agentOf(agents, name);
  if (agent === null) return refuse(serverProblems.unknownAgent(Object.keys(agents)));
  const id = idInPath ?? new URL(request.url).searchParams.get('id');
  if (id === null) return listSessions(asked, agent, name, parts);
  if (!isSessionId(id)) return refuse(serverProblems.invalidId);
  const owner = ownerOf(asked);
  if (owner === null) return refuse(serverProblems.invalidOwner);
  const address = { owner, agent: name, sessionId: id };
  // A foreign session looks like one that does not exist, also in the work that it makes.
  const isOwn = address.owner === principal.id;
  const kind = commandId !== undefined && isOwn ? 'own' : await kindOf(address, agent, parts);
  const mayFollow = await parts.access(principal, address, 'follow');
  const isHidden = !mayFollow || kind === 'other' || (kind !== 'own' && !isOwn);
  const found = { address, agent, kind };
  if (idInPath === undefined) return listOne(asked, isHidden ? null : found, parts);
  if (isHidden) return refuse(serverProblems.unknownSession);
  if (what === undefined || what === 'restore' || what === 'past') return manageSession(asked, found, parts);
  if (request.method === 'POST') return takeCommand(asked, found, parts);
  if (what === 'events') return followRoute(asked, found, parts);
  const answer = commandId === undefined ? null : await parts.host.answerOf(address, commandId);
  if (answer === null) return refuse(serverProblems.unknownCommand);
  return Response.json(answer === 'waiting' ? { id: commandId } : { id: commandId, answer });
}

/** True for a method that a route of a session, or of agents, takes. */
function isMethodOf(method: string, { id, what, commandId }: Partial<Record<string, string>>): boolean {
  if (method === 'GET') return what !== 'restore';
  if (method === 'POST') return what === 'restore' || (what === 'commands' && commandId === undefined);
  return id !== undefined && what === undefined && (method === 'PUT' || method === 'DELETE');
}

/** The owner of the addressed sessions: another principal that the query names, or the one that asks; null for no id. */
function ownerOf({ request, principal }: GuardedRequest): string | null {
  const named = new URL(request.url).searchParams.get('owner');
  if (named === null) return principal.id;
  // No database keeps a NUL in a text.
  return named !== '' && named.length <= 1000 && !/\p{Cc}/u.test(named) ? named : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function describe([name, agent]: [string, AgentDefinition]): object {
  const { version, description, budget, sessionBudget, tools } = agent;
  // The page answers a tool that nothing on the server runs.
  const pageTools = tools.filter(({ execute }) => execute === null).map((tool) => tool.name);
  const names = tools.map((tool) => tool.name);
  return { name, version, description, budget, sessionBudget, tools: names, pageTools };
}

/** The name of a principal for pages, which tells nothing of its id. */
async function personOf(id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`vitrine:${id}`));
  return Array.from(new Uint8Array(hash, 0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function listSessions(
  asked: GuardedRequest,
  { name: agentName }: AgentDefinition,
  agent: string,
  { host, access }: ServerParts,
): Promise<Response> {
  const { principal } = asked;
  const params = new URL(asked.request.url).searchParams;
  const limit = Math.min(Math.max(1, Math.floor(Number(params.get('limit') ?? 100)) || 100), 500);
  const [search, cursor] = [params.get('search'), params.get('cursor')];
  const query = {
    agentName,
    limit,
    ...(search !== null && { search }),
    ...(cursor !== null && { cursor }),
    // The others are not for a list of a page.
    ...(params.get('status') === 'deleted' && { status: 'deleted' as const }),
  };
  const owner = ownerOf(asked);
  if (owner === null) return asked.refuse(serverProblems.invalidOwner);
  const list = await host.sessions(owner).list(query);
  if (owner === principal.id) return Response.json(list);
  const may = await Promise.all(
    list.sessions.map(({ id }) => access(principal, { owner, agent, sessionId: id }, 'follow')),
  );
  return Response.json({ ...list, sessions: list.sessions.filter((_session, at) => may[at] === true) });
}

async function takeCommand(
  asked: GuardedRequest,
  found: AskedSession,
  { limits, ...parts }: ServerParts,
): Promise<Response> {
  const { request, readJson, enter, refuse, principal } = asked;
  const giver = new URL(request.url).searchParams.get('by');
  if (giver !== null && giver !== (await personOf(principal.id))) return refuse(serverProblems.otherPerson);
  const entered = await enter('request');
  try {
    // A person without points ends and answers what goes on all the same, so the command is read first.
    const bytes = 'refused' in entered ? Math.min(urgentBytes, limits.commandBytes) : limits.commandBytes;
    const body = await readJson({ bytes, ms: limits.bodyMs, depth: limits.depth });
    if ('refused' in body) return 'refused' in entered ? entered.refused : body.refused;
    const read = readCommand(body.value);
    if ('refused' in entered && ('issue' in read || !isAlwaysKept(read.command.type))) return entered.refused;
    if ('issue' in read) return refuse(serverProblems.invalidCommand(read.issue));
    return await keep(asked, found, read.command, parts);
  } finally {
    if ('release' in entered) entered.release();
  }
}

/** The most bytes of a command of a person whose requests are used up. */
const urgentBytes = 256 * 1024;

/** Keeps a command of a principal who may give it. */
async function keep(
  { refuse, principal }: GuardedRequest,
  { address, agent, kind }: AskedSession,
  given: HostedCommand,
  { host, access, env }: Pick<ServerParts, 'host' | 'access' | 'env'>,
): Promise<Response> {
  for (const act of actsOf(given))
    if (!(await access(principal, address, act))) return refuse(serverProblems.notAllowed(act));
  if (kind === 'deleted') return refuse(serverProblems.deletedSession);
  const command = withinLimits(given, agent, env.now());
  const refused = await submitWithRoom(host, address, command, principal.id);
  if (refused?.code === 'session-not-found') return refuse(serverProblems.unknownSession);
  if (refused !== null) return refuse(serverProblems.noRoom(refused.message));
  say(host.bus, address, { type: 'look' });
  const answer = await host.answerOf(address, command.id);
  const known = answer === null || answer === 'waiting' ? {} : { answer };
  return Response.json({ id: command.id, ...known }, { status: 202 });
}

/** Keeps a command. Sessions that were deleted give way first. @returns the refusal; null for a command that is kept */
async function submitWithRoom(
  host: SessionHost,
  address: SessionAddress,
  command: HostedCommand,
  by: string,
): Promise<AgentError | null> {
  for (let isLast = false; ; isLast = true) {
    try {
      await host.submit(address, command, by);
      return null;
    } catch (thrown) {
      if (isAgentError(thrown, 'session-not-found')) return thrown;
      if (!isAgentError(thrown, 'session-quota-exceeded')) throw thrown;
      if (isLast || !(await haveGivenWay(host.sessions(address.owner)))) return thrown;
    }
  }
}

/** Erases the deleted sessions of an owner, whose time to be restored would have gone on. False when there is none. */
async function haveGivenWay(sessions: SessionStore): Promise<boolean> {
  const { sessions: deleted } = await sessions.list({ status: 'deleted' });
  for (const { id } of deleted) await sessions.remove(id);
  return deleted.length > 0;
}

async function followRoute(
  { request, enter, principal }: GuardedRequest,
  { address, agent }: AskedSession,
  parts: ServerParts,
): Promise<Response> {
  const { host, access, authorize, leaving } = parts;
  const entered = await enter('stream');
  if ('refused' in entered) return entered.refused;
  const { headers, signal, url } = request;
  const after = headers.get('last-event-id') ?? new URL(url).searchParams.get('after') ?? '';
  const inspects = await access(principal, address, 'inspect');
  const body = follow({
    host,
    agent,
    address,
    from: positionFromText(after),
    person: await personOf(principal.id),
    inspects,
    signal: AbortSignal.any([signal, leaving]),
    onEnd: entered.release,
    async mayGoOn() {
      const found = await authorize(request);
      if (found?.id !== principal.id || !(await access(found, address, 'follow'))) return false;
      // A follower who gets or loses the right comes back.
      return (await access(found, address, 'inspect')) === inspects;
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
