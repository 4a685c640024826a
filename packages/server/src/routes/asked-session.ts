import type { AgentDefinition, SessionStore, SessionSummary } from '@vitrine/core';
import type { GuardedRequest, GuardedRoutesOptions } from '@vitrine/proxy/guard';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import type { SessionRunner } from '../run/session-runner.ts';

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
  /** The most bytes of a session that a page moves here, its files included. Default: 32 MiB. */
  readonly sessionBytes: number;
  /** The most sessions of one principal; ones that begin at the same time may exceed it. Default: 1,000. */
  readonly sessions: number;
};

/** The parts of a server that its routes use. */
export type ServerParts = {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly host: SessionHost;
  readonly runner: SessionRunner;
  readonly access: Access;
  readonly limits: CommandLimits;
  readonly hasRoom: HasRoom;
  readonly authorize: NonNullable<GuardedRoutesOptions['authorize']>;
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

/** Resolves with true when an owner may begin another session, which it then counts. */
export type HasRoom = (owner: string) => Promise<boolean>;

/** The time for which a count of stored sessions is used, in milliseconds. */
const countedMs = 10_000;

/**
 * Counts the sessions of an owner, at most so many. Sessions that begin soon after share the count, because each would read
 * the heads of all.
 */
export function createRoom(host: SessionHost, most: number): HasRoom {
  const counts = new Map<string, Promise<{ left: number }>>();

  async function count(owner: string): Promise<{ left: number }> {
    const { sessions } = await host.sessions(owner).list({ limit: most });
    return { left: most - sessions.length };
  }

  function counted(owner: string): Promise<{ left: number }> {
    const counting = count(owner);
    const forget = (): boolean => counts.get(owner) === counting && counts.delete(owner);
    counts.set(owner, counting);
    counting.then(() => setTimeout(forget, countedMs).unref(), forget);
    return counting;
  }

  return async (owner) => {
    const known = await (counts.get(owner) ?? counted(owner));
    // Sessions may have been deleted since.
    const found = known.left > 0 ? known : await counted(owner);
    found.left -= 1;
    return found.left >= 0;
  };
}
