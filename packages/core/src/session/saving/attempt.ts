import { branchMessages, placesIn } from '../branches/branch-messages.ts';
import { equalJson, type JsonValue } from '../../kit/json.ts';
import type { SessionCheckpoint, SessionRecord, SessionStore } from '../stores/session-store.ts';
import type { Taken } from './change-log.ts';
import type { Moment, WritePlan } from './plan-write.ts';
import { isDeleted } from '../stores/is-deleted.ts';
import { readRecord } from './read-record.ts';
import type { Head, Stored } from './saved.ts';

/** A write and the stored state after it succeeds. */
export type Attempt = {
  readonly plan: Exclude<WritePlan, { readonly type: 'nothing' }>;
  readonly taken: Taken;
  /** The version that the write is based on. */
  readonly expectedVersion: number;
  readonly next: Stored;
  readonly checkpoints: readonly SessionCheckpoint[];
};

export function attemptOf(
  stored: Stored | null,
  { journalId, head, state, branches, checkpoints }: Moment,
  plan: Attempt['plan'],
  taken: Taken,
): Attempt {
  const expectedVersion = stored?.version ?? 0;
  if (plan.type === 'append' && stored !== null) {
    const records = stored.records + (plan.events.length === 0 ? 0 : 1);
    const tailSize = stored.tailSize + plan.size;
    const next = { ...stored, records, tailSize, state, head: plan.head ?? stored.head };
    return { plan, taken, expectedVersion, next, checkpoints };
  }
  const records = stored?.journalId === journalId ? stored.records : 0;
  const next = { head, journalId, records, state, branches, snapshot: state, tailSize: 0 };
  return { plan, taken, expectedVersion, next: { ...next, version: expectedVersion }, checkpoints };
}

/** Sends the write to the store. @returns the new version */
export function send(
  store: SessionStore,
  { plan, taken, expectedVersion, next, checkpoints }: Attempt,
  epoch: number,
): Promise<number> {
  const { commands } = taken;
  const base = {
    expectedVersion,
    ...(epoch === 0 ? {} : { epoch }),
    ...(commands.length === 0 ? {} : { commands }),
  };
  const { head, journalId, records, branches, snapshot } = next;
  if (plan.type === 'append' && store.append !== undefined) {
    const { events } = plan;
    const record = records - (events.length === 0 ? 0 : 1);
    const changed = plan.head === null ? {} : { head: plan.head };
    return store.append(head.id, { ...base, journalId, record, events, ...changed });
  }
  const { newRuns, isErasing } = taken;
  const journal = { id: journalId, records, tail: [] };
  const record = { ...head, version: expectedVersion, state: snapshot, journal, branches, checkpoints };
  return store.save(record, { ...base, newRuns, isErasing });
}

/** The result of checking a conflict that the store reported. */
export type Doubt =
  /** The stored write is our own; its answer was lost. */
  | { readonly type: 'ours'; readonly attempt: Attempt; readonly version: number }
  /** The session is gone although nobody removed it: the browser evicted it. */
  | { readonly type: 'evicted'; readonly epoch: number }
  /** Another device changed only the head: messages, branches and epoch are those that the writer knows. */
  | { readonly type: 'other-head'; readonly head: Head; readonly version: number }
  /** The newer epoch is probably the one that this writer has asked for without an answer. */
  | { readonly type: 'own-epoch'; readonly epoch: number }
  | { readonly type: 'overtaken' };

/** The knowledge of a writer whose write was rejected. */
export type WriterView = {
  readonly stored: Stored | null;
  readonly epoch: number;
  /** The writes without an answer. */
  readonly doubtful: readonly Attempt[];
  /** True when an epoch was asked for and no answer came. */
  readonly isTaking: boolean;
};

/** Asks the store which write came last. */
export async function doubtOf(store: SessionStore, id: string, view: WriterView): Promise<Doubt> {
  const found = await store.load(id);
  if (found.kind === 'absent' && found.removedAt === null) return { type: 'evicted', epoch: found.epoch };
  return found.kind === 'there' ? doubtIn(found.session, view) : { type: 'overtaken' };
}

/** Finds out which write a stored session is the result of. */
export function doubtIn(session: SessionRecord, view: WriterView): Doubt {
  const attempt = view.doubtful.find((entry) => isMadeBy(entry, session));
  if (attempt !== undefined) return { type: 'ours', attempt, version: session.version };
  return isDeleted(session) ? { type: 'overtaken' } : changeOf(session, view);
}

/** The change that another writer has made to a session that is still there. */
function changeOf(record: SessionRecord, { stored, epoch, isTaking }: WriterView): Doubt {
  const { epoch: storedEpoch = 0, version } = record;
  if (stored === null) return { type: 'overtaken' };
  if (isTaking && storedEpoch === epoch + 1 && version === stored.version)
    return { type: 'own-epoch', epoch: storedEpoch };
  const { journal, branches } = record;
  const isSame =
    storedEpoch === epoch &&
    journal.id === stored.journalId &&
    journal.records === stored.records &&
    branches.length === stored.branches.length &&
    branches.every(({ id }, at) => id === stored.branches[at]?.id) &&
    !hasLeftForBranch(stored, record.queue) &&
    // A store that takes no events counts no records.
    equal(readRecord(record).live.state, stored.state);
  return isSame ? { type: 'other-head', head: headIn(record), version } : { type: 'overtaken' };
}

/** True when a message that waited on the branch waits no more: another page begins it, or knows it only there. */
function hasLeftForBranch({ head, state }: Stored, queue: Head['queue']): boolean {
  const left = head.queue.filter(({ id }) => queue.every((entry) => entry.id !== id));
  if (left.length === 0) return false;
  const places = placesIn(branchMessages(state));
  return left.some(({ id }) => places.has(id));
}

function headIn(record: SessionRecord): Head {
  const { version: _version, state: _state, journal: _journal, ...rest } = record;
  const { branches: _branches, checkpoints: _checkpoints, epoch: _epoch, taken: _taken, ...head } = rest;
  return head;
}

/** True when the stored session equals the result of the write: it succeeded and its answer was lost. */
function isMadeBy({ plan, expectedVersion, next }: Attempt, record: SessionRecord): boolean {
  const { version, state, journal } = record;
  const head = headIn(record);
  const isNext = version === expectedVersion + 1 && journal.id === next.journalId;
  if (!isNext || journal.records !== next.records || !equal(head, next.head)) return false;
  if (plan.type === 'save') return journal.tail.length === 0 && equal(state, next.state);
  const { length } = plan.events;
  return length === 0 || equal(journal.tail.slice(-length), plan.events);
}

function equal(a: unknown, b: unknown): boolean {
  return equalJson(a as JsonValue, b as JsonValue);
}
