import type { AgentDefinition, Env, SessionStore, SessionSummary } from '@vitrine/core';
import { isSessionId } from '@vitrine/core/internal/kit/ids';
import type { GuardedRequest, GuardedRoutesOptions } from '@vitrine/proxy/internal/guard';
import { hexOf, sha256 } from '@vitrine/proxy/internal/kit/digest';
import { sessionProblems } from '@vitrine/proxy/internal/sessions/session-problems';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import type { SessionRunner } from '../run/session-runner.ts';
import { serverProblems } from './problems.ts';

/**
 * Decides whether a principal may follow a session, command it, approve its calls, `grant` amounts beyond its budget, and
 * `inspect` it: its past, and the system prompts, tools and all else that models are sent, which nobody gets who only follows.
 */
export type Access = (
  principal: GuardedRequest['principal'],
  address: SessionAddress,
  act: 'follow' | 'command' | 'approve' | 'grant' | 'inspect',
) => boolean | Promise<boolean>;

/** Limits of a command. */
export type CommandLimits = {
  /** The most bytes of a command, its files included. Default: 4 MiB. */
  readonly commandBytes: number;
  /** Milliseconds for a command to arrive. Every 64 KiB that arrive extend the time by a second. Default: 10 s. */
  readonly bodyMs: number;
  /** The deepest nesting of a command. Default: 64. */
  readonly depth: number;
  /** The most bytes of a session that a page moves here, its files included. Default: 32 MiB. */
  readonly sessionBytes: number;
  /** The most sessions of one principal, deleted ones that can be restored included. Default: 1,000. */
  readonly sessions: number;
  /**
   * The most bytes of one principal: sessions, files, commands and the rows beside them, each of which counts 256 more.
   * Runs that go on, `stop`, `answer` and deletion may take 32 MiB beyond it. Default: 256 MiB.
   */
  readonly bytes: number;
};

export type ServerParts = {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly host: SessionHost;
  readonly runner: SessionRunner;
  readonly access: Access;
  readonly allowModel: (model: string, principal: Parameters<Access>[0]) => boolean | Promise<boolean>;
  readonly limits: CommandLimits;
  readonly authorize: NonNullable<GuardedRoutesOptions['authorize']>;
  readonly env: Env;
  /** Milliseconds without readers before a session that is read in another protocol leaves memory. */
  readonly lingerMs: number;
  /** Aborts when the server stops, which ends all streams. */
  readonly leaving: AbortSignal;
};

/** A session as a request names it. */
export type AskedSession = {
  readonly address: SessionAddress;
  readonly agent: AgentDefinition;
  readonly kind: SessionKind;
};

/** The stored session as its address names it: `other` when another agent told it, `new` for none. */
type SessionKind = 'own' | 'new' | 'other' | 'deleted';

/** Finds out what is stored under an address, from the head: a run and a follower read the session themselves. */
export async function kindOf(
  address: SessionAddress,
  agent: AgentDefinition,
  { host, runner }: ServerParts,
): Promise<SessionKind> {
  if (runner.isLive(address)) return 'own';
  const sessions = host.sessions(address.owner);
  try {
    const summary = await summaryIn(sessions, address.sessionId);
    // A session that cannot be read says so to its followers.
    if (summary?.status === 'broken' || summary?.status === 'newer') return 'own';
    if (summary !== null && summary.agentName !== agent.name) return 'other';
    if (summary !== null) return summary.status === 'deleted' ? 'deleted' : 'own';
    const load = await sessions.load(address.sessionId);
    if (load.kind !== 'absent') return 'own';
    return load.removedAt === null ? 'new' : 'deleted';
  } catch {
    return 'own';
  }
}

/** The summary of a stored session, read from its head alone; null for none. */
export async function summaryIn(sessions: SessionStore, id: string): Promise<SessionSummary | null> {
  return (await sessions.list({ id })).sessions[0] ?? null;
}

/** The owner of the addressed sessions: another principal that the query names, or the one that asks; null for no id. */
export function ownerOf({ request, principal }: GuardedRequest): string | null {
  const named = new URL(request.url).searchParams.get('owner');
  if (named === null) return principal.id;
  // No database keeps a NUL in a text.
  return named !== '' && named.length <= 1000 && !/\p{Cc}/u.test(named) ? named : null;
}

/** The name of a principal for pages, which tells nothing of its id. */
export async function personOf(id: string): Promise<string> {
  return hexOf(await sha256(`vitrine:${id}`)).slice(0, 16);
}

/** A session as a path, or a body, names it. */
export type NamedSession = {
  /** The name of the agent in its address. */
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly id: string;
  /** True where the principal need not be told whether its session exists, because a command of it is asked for. */
  readonly isKept?: boolean;
};

/** Finds the session that a request names; null for one that its principal may not see. */
export async function findSession(
  asked: GuardedRequest,
  { name, agent, id, isKept = false }: NamedSession,
  parts: ServerParts,
): Promise<{ readonly found: AskedSession | null } | { readonly refused: Response }> {
  const { principal, refuse } = asked;
  if (!isSessionId(id)) return { refused: refuse(sessionProblems.invalidId) };
  const owner = ownerOf(asked);
  if (owner === null) return { refused: refuse(serverProblems.invalidOwner) };
  const address = { owner, agent: name, sessionId: id };
  // A foreign session looks like one that does not exist, also in the work that it makes.
  const isOwn = owner === principal.id;
  const kind = isKept && isOwn ? 'own' : await kindOf(address, agent, parts);
  const may = await parts.access(principal, address, 'follow');
  const isHidden = !may || kind === 'other' || (kind !== 'own' && !isOwn);
  return { found: isHidden ? null : { address, agent, kind } };
}

/** True as long as the principal of a request is signed in and may follow a session. */
export async function mayFollow(
  { request, principal }: GuardedRequest,
  address: SessionAddress,
  { authorize, access }: ServerParts,
): Promise<boolean> {
  const found = await authorize(request);
  return found?.id === principal.id && (await access(found, address, 'follow'));
}
