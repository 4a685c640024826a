import {
  type AgentDefinition,
  isAgentError,
  type SessionList,
  type SessionStore,
  type SessionSummary,
} from '@vitrine/core';
import { positionFromText } from '@vitrine/persist/internal/link/link-json';
import type { GuardedRequest } from '@vitrine/proxy/internal/guard';
import { follow } from '../run/follow.ts';
import { agentOf } from '../run/session-runner.ts';
import { isDiskFull } from '../host/owner-limits.ts';
import { listOne, manageSession } from './manage-session.ts';
import {
  type AskedSession,
  findSession,
  mayFollow,
  ownerOf,
  personOf,
  type ServerParts,
} from './asked-session.ts';
import { serverProblems } from './problems.ts';
import { takeCommand } from './take-command.ts';

const routes =
  /\/agents(?:\/[^/]+\/(?:ag-ui|chat(?:\/[^/]+\/stream)?|sessions(?:\/[^/]+(?:\/(?:events|past|restore|commands(?:\/[^/]+)?))?)?))?(?=\/?$)/;

/** The route that a path names by its end; null for none. */
export function routeOf(path: string): string | null {
  return routes.exec(path)?.[0] ?? null;
}

/** The name of a route for logs, without names of agents and ids. */
export function nameOfRoute(route: string): string {
  const [, , agent, kind, session, what, command] = route.split('/');
  if (agent === undefined) return '/agents';
  if (session === undefined) return `/agents/:agent/${kind}`;
  if (what === undefined) return '/agents/:agent/sessions/:id';
  return `/agents/:agent/${kind}/:id/${what}${command === undefined ? '' : '/:command'}`;
}

/** Answers a request of a known principal. A storage that fails says so as what it is, and nobody's mistake. */
export async function answerRoute(asked: GuardedRequest, parts: ServerParts): Promise<Response> {
  try {
    return await serveAnswer(asked, parts);
  } catch (thrown) {
    if (!isAgentError(thrown, 'session-storage')) throw thrown;
    return asked.refuse(serverProblems.storage(isDiskFull(thrown)), thrown);
  }
}

async function serveAnswer(asked: GuardedRequest, parts: ServerParts): Promise<Response> {
  const { agents } = parts;
  const { request, route, refuse } = asked;
  const [, , name, kind, idInPath, what, commandId] = route.split('/').map(decodePart);
  const isBridge = kind === 'ag-ui' || kind === 'chat';
  const isKnown = isBridge || isMethodOf(request.method, { id: idInPath, what, commandId });
  if (!isKnown) return refuse(serverProblems.wrongMethod);
  if (name === undefined) return Response.json({ agents: Object.entries(agents).map(describe) });
  const agent = agentOf(agents, name);
  if (agent === null) return refuse(serverProblems.unknownAgent(Object.keys(agents)));
  if (isBridge) {
    // A server that nobody asks for another protocol loads none of its code.
    const { bridgeRoute } = await import('./bridge-route.ts');
    return bridgeRoute(asked, { name, agent, kind, id: idInPath ?? null }, parts);
  }
  const id = idInPath ?? new URL(request.url).searchParams.get('id');
  if (id === null) return listSessions(asked, agent, name, parts);
  const looked = await findSession(asked, { name, agent, id, isKept: commandId !== undefined }, parts);
  if ('refused' in looked) return looked.refused;
  const { found } = looked;
  if (idInPath === undefined) return listOne(asked, found, parts);
  if (found === null) return refuse(serverProblems.unknownSession);
  if (what === undefined || what === 'restore' || what === 'past') return manageSession(asked, found, parts);
  if (request.method === 'POST') return takeCommand(asked, found, parts);
  if (what === 'events') return followRoute(asked, found, parts);
  const answer = commandId === undefined ? null : await parts.host.answerOf(found.address, commandId);
  if (answer === null) return refuse(serverProblems.unknownCommand);
  return Response.json(answer === 'waiting' ? { id: commandId } : { id: commandId, answer });
}

/** True for a method that a route of a session, or of agents, takes. */
function isMethodOf(method: string, { id, what, commandId }: Partial<Record<string, string>>): boolean {
  if (method === 'GET') return what !== 'restore';
  if (method === 'POST') return what === 'restore' || (what === 'commands' && commandId === undefined);
  return id !== undefined && what === undefined && (method === 'PUT' || method === 'DELETE');
}

function decodePart(part: string): string {
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
  const sessions = host.sessions(owner);
  if (owner === principal.id) return Response.json(await sessions.list(query));
  const may = async ({ id }: SessionSummary): Promise<boolean> =>
    access(principal, { owner, agent, sessionId: id }, 'follow');
  return Response.json(await listVisible(sessions, query, may));
}

/** The sessions about which `access` is asked at once. */
const portionSize = 50;

/** The sessions of a list that a principal may see. Others are not counted or searched, nor named by a cursor. */
async function listVisible(
  sessions: SessionStore,
  { limit = Infinity, search, ...filters }: NonNullable<Parameters<SessionStore['list']>[0]>,
  may: (summary: SessionSummary) => Promise<boolean>,
): Promise<SessionList> {
  for (let round = 1; ; round++) {
    // A store keeps so many sessions of an owner as the server's limits allow.
    const all = (await sessions.list(filters)).sessions;
    const visible: SessionSummary[] = [];
    for (let at = 0; at < all.length && visible.length <= limit; at += portionSize) {
      const portion = all.slice(at, at + portionSize);
      const allowed = await Promise.all(portion.map(may));
      for (const [index, summary] of portion.entries()) {
        if (allowed[index] !== true || visible.length > limit) continue;
        const { id, status } = summary;
        if (search === undefined || (await sessions.list({ id, status, search })).sessions.length > 0)
          visible.push(summary);
      }
    }
    if (visible.length <= limit) return { sessions: visible, cursor: null };
    const page = visible.slice(0, limit);
    const last = page.at(-1);
    // The cursor of a list that ends at the last session of the page. A list that changed meanwhile is read again.
    const end = await sessions.list({ ...filters, limit: all.findIndex(({ id }) => id === last?.id) + 1 });
    if (end.sessions.at(-1)?.id === last?.id || round === 3) return { sessions: page, cursor: end.cursor };
  }
}

async function followRoute(
  asked: GuardedRequest,
  { address, agent }: AskedSession,
  parts: ServerParts,
): Promise<Response> {
  const { request, enter, principal } = asked;
  const { host, access, leaving } = parts;
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
    // A follower who gets or loses the right to inspect comes back.
    mayGoOn: async () =>
      (await mayFollow(asked, address, parts)) && (await access(principal, address, 'inspect')) === inspects,
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
