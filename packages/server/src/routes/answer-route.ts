import type { AgentDefinition } from '@vitrine/core';
import type { GuardedRequest, GuardedRoutesOptions } from '@vitrine/proxy/guard';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import { say } from '../run/bus-message.ts';
import { agentOf, type SessionRunner } from '../run/session-runner.ts';
import { readCommand } from './command-shape.ts';
import { follow, placeOfId } from './follow.ts';
import { serverProblems } from './problems.ts';

/** Decides whether a principal may follow a session, command it, or approve its calls. */
export type Access = (
  principal: GuardedRequest['principal'],
  address: SessionAddress,
  act: 'follow' | 'command' | 'approve',
) => boolean | Promise<boolean>;

/** Limits of a command. */
export type CommandLimits = {
  /** The most bytes of a command, its files included. Default: 4 MiB. */
  readonly commandBytes: number;
  /** Milliseconds for a command to arrive. Default: 30 s. */
  readonly bodyMs: number;
  /** The deepest nesting of a command. Default: 64. */
  readonly depth: number;
};

/** The parts of a server that its routes use. */
export type ServerParts = {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly host: SessionHost;
  readonly runner: SessionRunner;
  readonly access: Access;
  readonly limits: CommandLimits;
  readonly authorize: NonNullable<GuardedRoutesOptions['authorize']>;
  /** Aborts when the server stops, which ends all streams. */
  readonly leaving: AbortSignal;
};

const routes = /\/agents(?:\/[^/]+\/sessions(?:\/[^/]+\/(?:events|commands(?:\/[^/]+)?))?)?(?=\/?$)/;

/** The route that a path names by its end; null for none. */
export function routeOf(path: string): string | null {
  return routes.exec(path)?.[0] ?? null;
}

/** The name of a route for logs, without names of agents and ids. */
export function nameOfRoute(route: string): string {
  const [, , agent, , session, what, command] = route.split('/');
  if (agent === undefined) return '/agents';
  if (session === undefined) return '/agents/:agent/sessions';
  return `/agents/:agent/sessions/:id/${what}${command === undefined ? '' : '/:command'}`;
}

/** Answers a request of a known principal. */
export async function answerRoute(asked: GuardedRequest, parts: ServerParts): Promise<Response> {
  const { agents } = parts;
  const { request, route, principal, refuse } = asked;
  const [, , name, , id, what, commandId] = route.split('/').map(decoded);
  const isPost = request.method === 'POST';
  if (isPost ? what !== 'commands' || commandId !== undefined : request.method !== 'GET')
    return refuse(serverProblems.wrongMethod);
  if (name === undefined) return Response.json({ agents: Object.entries(agents).map(describe) });
  const agent = agentOf(agents, name);
  if (agent === null) return refuse(serverProblems.unknownAgent(Object.keys(agents)));
  if (id === undefined) return listSessions(asked, agent, parts);
  if (!/^-?[a-zA-Z0-9_][a-zA-Z0-9_-]{0,127}$/.test(id)) return refuse(serverProblems.invalidId);
  const address = { owner: principal.id, agent: name, sessionId: id };
  // A foreign session looks like one that does not exist.
  if (!(await parts.access(principal, address, 'follow'))) return refuse(serverProblems.unknownSession);
  if (isPost) return takeCommand(asked, address, agent, parts);
  if (what === 'events') return followRoute(asked, address, agent, parts);
  const answer = commandId === undefined ? null : await parts.host.answerOf(address, commandId);
  if (answer === null) return refuse(serverProblems.unknownCommand);
  return Response.json(answer === 'waiting' ? { id: commandId } : { id: commandId, answer });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function describe([name, { version, description, tools }]: [string, AgentDefinition]): object {
  // The page answers a tool that nothing on the server runs.
  const pageTools = tools.filter(({ execute }) => execute === null).map((tool) => tool.name);
  return { name, version, description, pageTools };
}

async function listSessions(
  { request, principal }: GuardedRequest,
  { name: agentName }: AgentDefinition,
  { host }: ServerParts,
): Promise<Response> {
  const asked = new URL(request.url).searchParams;
  const limit = Math.min(Math.max(1, Math.floor(Number(asked.get('limit') ?? 100)) || 100), 500);
  const [search, cursor] = [asked.get('search'), asked.get('cursor')];
  const query = { agentName, limit, ...(search !== null && { search }), ...(cursor !== null && { cursor }) };
  return Response.json(await host.sessions(principal.id).list(query));
}

/** The stored session as its address names it: `other` when another agent told it. */
async function kindOf(
  address: SessionAddress,
  agent: AgentDefinition,
  { host, runner }: ServerParts,
): Promise<'own' | 'other' | 'deleted'> {
  if (runner.isLive(address)) return 'own';
  const load = await host
    .sessions(address.owner)
    .load(address.sessionId)
    // A session that cannot be read says so to its followers.
    .catch(() => null);
  if (load?.kind === 'there') return load.session.agentName === agent.name ? 'own' : 'other';
  return load?.kind === 'absent' && load.removedAt !== null ? 'deleted' : 'own';
}

async function takeCommand(
  { readJson, enter, refuse, principal }: GuardedRequest,
  address: SessionAddress,
  agent: AgentDefinition,
  parts: ServerParts,
): Promise<Response> {
  const { host, limits, access } = parts;
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
    const kind = await kindOf(address, agent, parts);
    if (kind === 'other') return refuse(serverProblems.unknownSession);
    if (kind === 'deleted') return refuse(serverProblems.deletedSession);
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
  { request, enter, refuse, principal }: GuardedRequest,
  address: SessionAddress,
  agent: AgentDefinition,
  parts: ServerParts,
): Promise<Response> {
  const { host, runner, access, authorize, leaving } = parts;
  if ((await kindOf(address, agent, parts)) === 'other') return refuse(serverProblems.unknownSession);
  const entered = await enter();
  if ('refused' in entered) return entered.refused;
  const { headers, signal, url } = request;
  const have = placeOfId(headers.get('last-event-id') ?? new URL(url).searchParams.get('after'));
  const body = follow({
    host,
    agent,
    address,
    have,
    isLive: () => runner.isLive(address),
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
