import type { AgentDefinition } from '@vitrine/core';
import { positionFromText } from '@vitrine/core/link';
import type { GuardedRequest } from '@vitrine/proxy/guard';
import { say } from '../run/bus-message.ts';
import { follow } from '../run/follow.ts';
import { agentOf } from '../run/session-runner.ts';
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

/** Answers a request of a known principal. */
export async function answerRoute(asked: GuardedRequest, parts: ServerParts): Promise<Response> {
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
  if (!/^-?[a-zA-Z0-9_][a-zA-Z0-9_-]{0,127}$/.test(id)) return refuse(serverProblems.invalidId);
  const address = { owner: ownerOf(asked), agent: name, sessionId: id };
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

/** The owner of the addressed sessions: another principal that the query names, or the one that asks. */
function ownerOf({ request, principal }: GuardedRequest): string {
  return new URL(request.url).searchParams.get('owner') ?? principal.id;
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
  const list = await host.sessions(owner).list(query);
  if (owner === principal.id) return Response.json(list);
  const may = await Promise.all(
    list.sessions.map(({ id }) => access(principal, { owner, agent, sessionId: id }, 'follow')),
  );
  return Response.json({ ...list, sessions: list.sessions.filter((_session, at) => may[at] === true) });
}

async function takeCommand(
  { request, readJson, enter, refuse, principal }: GuardedRequest,
  { address, kind }: AskedSession,
  parts: ServerParts,
): Promise<Response> {
  const { host, limits, access, hasRoom } = parts;
  const giver = new URL(request.url).searchParams.get('by');
  if (giver !== null && giver !== (await personOf(principal.id))) return refuse(serverProblems.otherPerson);
  const entered = await enter();
  if ('refused' in entered) return entered.refused;
  try {
    const body = await readJson({ bytes: limits.commandBytes, ms: limits.bodyMs, depth: limits.depth });
    if ('refused' in body) return body.refused;
    const read = readCommand(body.value);
    if ('issue' in read) return refuse(serverProblems.invalidCommand(read.issue));
    const { command } = read;
    const act = command.type === 'answer' ? 'approve' : 'command';
    if (!(await access(principal, address, act))) return refuse(serverProblems.notAllowed(act));
    if (kind === 'deleted') return refuse(serverProblems.deletedSession);
    if (kind === 'new' && !(await hasRoom(address.owner)))
      return refuse(serverProblems.tooManySessions(limits.sessions));
    await host.submit(address, command, principal.id);
    say(host.bus, address, { type: 'look' });
    const answer = await host.answerOf(address, command.id);
    const known = answer === null || answer === 'waiting' ? {} : { answer };
    return Response.json({ id: command.id, ...known }, { status: 202 });
  } finally {
    entered.release();
  }
}

async function followRoute(
  { request, enter, principal }: GuardedRequest,
  { address, agent }: AskedSession,
  parts: ServerParts,
): Promise<Response> {
  const { host, access, authorize, leaving } = parts;
  const entered = await enter();
  if ('refused' in entered) return entered.refused;
  const { headers, signal, url } = request;
  const after = headers.get('last-event-id') ?? new URL(url).searchParams.get('after') ?? '';
  const body = follow({
    host,
    agent,
    address,
    from: positionFromText(after),
    person: await personOf(principal.id),
    signal: AbortSignal.any([signal, leaving]),
    onEnd: entered.release,
    async mayGoOn() {
      const found = await authorize(request);
      return found?.id === principal.id && (await access(found, address, 'follow'));
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
