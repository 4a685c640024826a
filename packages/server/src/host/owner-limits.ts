import { AgentError, isAgentError } from '@vitrine/core';
import type { RowStorage } from '@vitrine/persist';

/** The most that one owner may keep at a host: sessions, and bytes of sessions, files, commands and all rows beside them. */
export type OwnerLimits = { readonly sessions: number; readonly bytes: number };

const mebibyte = 1024 * 1024;

export const defaultOwnerLimits: OwnerLimits = { sessions: 1000, bytes: 256 * mebibyte };

/** Bytes above the limit for runs, and for commands by which a person without room stops, answers and deletes. */
const reserveBytes = 32 * mebibyte;

/** Bytes that each row counts beside its texts, as those of sessions do. */
export const rowBytes = 256;

/** The limits of what is written for a session that was let in: they hold for all of an owner together. */
export function withReserve({ sessions, bytes }: OwnerLimits): OwnerLimits {
  return { sessions, bytes: bytes + reserveBytes };
}

/** True for a command that makes a session: each keeps something in it, so that all sessions are listed. */
export function beginsSession(type: string): boolean {
  return type === 'send' || type === 'choose-model';
}

/** Commands with which a person ends something, and answers. They are kept also without room. */
const always: ReadonlySet<string> = new Set(['stop', 'answer', 'cancel-queued', 'clear-error']);

/** True for a command that is kept also when its owner has no room. */
export function isAlwaysKept(type: string): boolean {
  return always.has(type);
}

/** The bytes up to which a command of a type is kept. */
export function mostBytesFor(type: string, limits: OwnerLimits): number {
  return (isAlwaysKept(type) ? withReserve(limits) : limits).bytes;
}

/** The data of an owner in the transaction that keeps a command. */
export type OwnerUsage = {
  /** True for a session that is stored, or that a kept command begins. */
  readonly isThere: boolean;
  readonly sessions: number;
  readonly bytes: number;
};

/** The reason why a command is not kept; null for one that is. */
export function refusalOf(
  { type, size }: { readonly type: string; readonly size: number },
  { isThere, sessions, bytes }: OwnerUsage,
  limits: OwnerLimits,
): AgentError | null {
  if (!isThere && !beginsSession(type)) {
    const message = 'This session does not exist. Only a message, or the choice of a model, begins one.';
    return new AgentError('session-not-found', message);
  }
  if (!isThere && sessions >= limits.sessions) return noRoom('sessions', limits);
  return bytes + size > mostBytesFor(type, limits) ? noRoom('bytes', limits) : null;
}

function noRoom(limit: keyof OwnerLimits, limits: OwnerLimits): AgentError {
  const most =
    limit === 'bytes' ? `${limits.bytes} bytes of sessions and files` : `${limits.sessions} sessions`;
  const message = `You may keep ${most} here. Delete some that you no longer need, and do it again.`;
  return new AgentError('session-quota-exceeded', message, { data: { limit, most: limits[limit] } });
}

/** The rows of an owner whose refusals say what to do. */
export function boundedRows<Rows extends RowStorage>(rows: Rows, limits: OwnerLimits): Rows {
  const { blobs } = rows;
  const explainFull = <Value>(writing: Promise<Value>): Promise<Value> =>
    writing.catch((thrown: unknown) => {
      throw isFull(thrown) ? noRoom(thrown.limit, limits) : thrown;
    });
  return {
    ...rows,
    write: (id, wanted) => explainFull(rows.write(id, wanted)),
    append: (id, wanted) => explainFull(rows.append(id, wanted)),
    ...(blobs && { blobs: { ...blobs, put: (id, file) => explainFull(blobs.put(id, file)) } }),
  };
}

function isFull(thrown: unknown): thrown is Error & { readonly limit: keyof OwnerLimits } {
  return thrown instanceof Error && thrown.name === 'SessionQuotaError' && 'limit' in thrown;
}

/** Writes and reads a row as large as a page of a list, beside all sessions. @throws the error of the storage */
export async function checkRows(rows: RowStorage): Promise<void> {
  const put = new Map([['probe', ' '.repeat(64 * 1024)]]);
  const expected = await rows.head(probeId);
  await rows.write(probeId, { expected, head: String(Date.now()), put, drop: [] });
}

const probeId = '-readyz';

/** True for an error of a storage whose disk is full, as SQLite, PostgreSQL and Node say it. */
export function isDiskFull(thrown: unknown): boolean {
  for (let [error, left] = [thrown, 5]; error instanceof Error && left > 0; left--) {
    if (/disk is full|no space left|could not extend file|ENOSPC/i.test(error.message)) return true;
    error = error.cause;
  }
  return false;
}

/** Runs work in a storage. @throws AgentError `session-storage` with its reason */
export async function inStorage<Value>(
  what: string,
  advice: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (isAgentError(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${what}: ${reason}. ${advice}`;
    throw new AgentError('session-storage', message, { cause, data: { retryable: true } });
  }
}
