import type { AgentDefinition, Env, SessionStore, SessionSummary } from '@vitrine/core';
import type { GuardedRequest, GuardedRoutesOptions } from '@vitrine/proxy/guard';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import type { SessionRunner } from '../run/session-runner.ts';

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

/** The parts of a server that its routes use. */
export type ServerParts = {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly host: SessionHost;
  readonly runner: SessionRunner;
  readonly access: Access;
  readonly limits: CommandLimits;
  readonly authorize: NonNullable<GuardedRoutesOptions['authorize']>;
  readonly env: Env;
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
