import type { OwnerLimits } from './owner-limits.ts';
import type { EffectLog, ErrorInfo, JsonObject, JsonValue, SessionStore, Turn } from '@vitrine/core';

/** The address of a session on a server: its owner, the name of its agent there, and its id. */
export type SessionAddress = {
  /** The id of the principal that the session belongs to. */
  readonly owner: string;
  readonly agent: string;
  readonly sessionId: string;
};

/** A command as it travels and is kept: plain JSON with its id and type. */
export type HostedCommand = JsonObject & { readonly id: string; readonly type: string };

/** A kept command, with the id of the principal that gave it. */
export type PendingCommand = { readonly command: HostedCommand; readonly by: string };

/** The answer to a command: its turn, or null for commands without one, and the error of a refusal. */
export type CommandAnswer = { readonly turn: Turn | null; readonly error: ErrorInfo | null };

/** The position in a stored session where an epoch began. Nothing of an earlier one above it was stored. */
export type EpochStart = {
  readonly epoch: number;
  /** The stored journal; null for a session that was not stored. */
  readonly journalId: string | null;
  /** The number of records that were stored. */
  readonly record: number;
};

/** The right to run a session, until `signal` aborts. */
export type Lease = {
  /** The number of the lease, higher than every earlier one of the session. */
  readonly epoch: number;
  /** Aborts when the lease ends: another process runs the session, or the host stops. */
  readonly signal: AbortSignal;
  /**
   * The treatment of the session. `run` it; `fail` it, because its last runs died with their process: end its open run and
   * its commands as failed, and call no model and no tool; or only `refuse` its commands, because failing it died too.
   */
  readonly verdict: 'run' | 'fail' | 'refuse';
  /** The sessions of the owner. Each write is refused once the lease has ended, and the first conflict ends it. */
  readonly sessions: SessionStore;
  /** The log of model and tool calls, whose outcomes survive a killed process. Absent: the host has none. */
  readonly effects?: EffectLog;
};

/** Runs a session until nothing is left to do. A rejection leaves the session to a later run. */
export type RunSession = (address: SessionAddress, lease: Lease) => Promise<void>;

/** Messages about a session to everybody who follows it, on any process of the host. They are not kept. */
export type SessionBus = {
  readonly say: (address: SessionAddress, message: JsonValue) => void;
  /** Adds a listener. @returns the function that removes it */
  readonly listen: (address: SessionAddress, listener: (message: JsonValue) => void) => () => void;
};

/**
 * A place where sessions run: it keeps commands and answers, and calls a function for every session with work, one call
 * a session at a time over all processes. `testSessionHost` holds an implementation to the laws.
 */
export type SessionHost = {
  /** The stored sessions of one owner. */
  readonly sessions: (owner: string) => SessionStore;
  /**
   * Begins to call `run` for sessions with a due wake-up, again after a crash, until it resolves. Resolves when this
   * process takes part. `limits` bounds what one owner keeps, counted in the transactions that write; by default it is
   * 1,000 sessions and 256 MiB. Runs, and commands that end something, may take 32 MiB more.
   * @throws AgentError `session-storage`
   */
  readonly start: (run: RunSession, limits?: OwnerLimits) => Promise<void>;
  /**
   * Keeps a command and wakes its session in one commit: at once, or at a later time in milliseconds of the host's clock,
   * before which the command is not pending. The same id a second time changes nothing.
   * @throws AgentError `session-storage`, `session-quota-exceeded` when its owner has no room, `session-not-found` for
   * a command that begins no session, to one that is not there; nothing is kept then
   */
  readonly submit: (
    address: SessionAddress,
    command: HostedCommand,
    by: string,
    at?: number,
  ) => Promise<void>;
  /** Resolves with the due commands without an answer, in the order in which they were kept. */
  readonly pending: (address: SessionAddress) => Promise<readonly PendingCommand[]>;
  /** Keeps the first answer to a command. @throws AgentError `session-conflict` when a later epoch has begun */
  readonly answer: (
    address: SessionAddress,
    commandId: string,
    answer: CommandAnswer,
    epoch: number,
  ) => Promise<void>;
  /** Resolves with the answer, with `waiting` for a kept command without one, and with null for an unknown id. */
  readonly answerOf: (
    address: SessionAddress,
    commandId: string,
  ) => Promise<CommandAnswer | 'waiting' | null>;
  /** Resolves with the starts of the epochs after one, oldest first. */
  readonly epochs: (address: SessionAddress, after: number) => Promise<readonly EpochStart[]>;
  /** Resolves with true while a run goes on or is due, on any process, also while a dead one is replaced. */
  readonly isAwake: (address: SessionAddress) => Promise<boolean>;
  readonly bus: SessionBus;
  /** Writes and reads a row, so that a full or locked storage is known. @throws AgentError `session-storage` */
  readonly check: () => Promise<void>;
  /** Wakes a session at a time in milliseconds of the host's clock; a time in the past wakes it at once. */
  readonly wakeAt: (address: SessionAddress, at: number) => Promise<void>;
  /**
   * Begins no run any more, waits at most `graceMs` (default: 10,000) for the active ones, ends their leases and closes
   * the store. Sessions with work left go on at the next start.
   */
  readonly stop: (options?: { readonly graceMs?: number }) => Promise<void>;
};

/** The number of answered commands that a host keeps for a session, as ids in its head. */
export const maxAnswered = 200;
/** The number of epochs that a host keeps for a session. A follower with an older cursor gets the whole session. */
export const maxEpochs = 50;

/** The number of processes that die with a session, one run after the other, before it is ended as failed. */
export const defaultDeaths = 3;
/** Milliseconds after which the earlier deaths of a run are forgotten: one that kills its process does it soon. */
export const probationMs = 30_000;

/** The treatment of a session whose last runs died with their process. */
export function verdictOf(deaths: number, mostDeaths: number): Lease['verdict'] {
  if (deaths < mostDeaths) return 'run';
  return deaths < mostDeaths + 2 ? 'fail' : 'refuse';
}

/** True for a session that would be failed after one more death. It runs as the only such one of its process. */
export function isSuspect(deaths: number, mostDeaths: number): boolean {
  return deaths >= mostDeaths - 1;
}

/** The pause after a failed run of a session in milliseconds, which doubles with each failure up to a minute. */
export function failedPause(failures: number): number {
  return 1000 * 2 ** Math.min(failures, 6);
}

/** The key of an address in maps and texts. */
export function keyOf({ owner, agent, sessionId }: SessionAddress): string {
  return JSON.stringify([owner, agent, sessionId]);
}
