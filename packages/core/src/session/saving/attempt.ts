import { equalJson } from '../../kit/equal-json.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { SessionCheckpoint, SessionRecord, SessionStore } from '../stores/session-store.ts';
import type { Taken } from './change-log.ts';
import type { Moment, WritePlan } from './plan-write.ts';
import type { Stored } from './saved.ts';

/** A write, and what is stored when it succeeds. */
export type Attempt = {
  readonly plan: Exclude<WritePlan, { readonly type: 'nothing' }>;
  readonly taken: Taken;
  /** The version that it is based on. */
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

/** Has the store do it. @returns the new version */
export function send(
  store: SessionStore,
  { plan, taken, expectedVersion, next, checkpoints }: Attempt,
): Promise<number> {
  const { head, journalId, records, branches, snapshot } = next;
  if (plan.type === 'append' && store.append !== undefined) {
    const { events } = plan;
    const record = records - (events.length === 0 ? 0 : 1);
    const changed = plan.head === null ? {} : { head: plan.head };
    return store.append(head.id, { expectedVersion, journalId, record, events, ...changed });
  }
  const { newRuns, isErasing } = taken;
  const journal = { id: journalId, records, tail: [] };
  const record = { ...head, version: expectedVersion, state: snapshot, journal, branches, checkpoints };
  return store.save(record, { expectedVersion, newRuns, isErasing });
}

/** The write that what is stored was left by, of those whose answers did not come; null when it was somebody else's. */
export async function lostAnswer(
  store: SessionStore,
  id: string,
  doubtful: readonly Attempt[],
): Promise<{ readonly attempt: Attempt; readonly version: number } | null> {
  const record = doubtful.length === 0 ? null : await store.load(id);
  const attempt = record === null ? undefined : doubtful.find((entry) => isMadeBy(entry, record));
  return record === null || attempt === undefined ? null : { attempt, version: record.version };
}

/**
 * True when the stored session is what the write has left and nobody has written since: it was made, and the answer was
 * lost on its way.
 */
function isMadeBy({ plan, expectedVersion, next }: Attempt, record: SessionRecord): boolean {
  const { version, state, journal, branches: _branches, checkpoints: _checkpoints, ...head } = record;
  const isNext = version === expectedVersion + 1 && journal.id === next.journalId;
  if (!isNext || journal.records !== next.records || !equal(head, next.head)) return false;
  if (plan.type === 'save') return journal.tail.length === 0 && equal(state, next.state);
  const { length } = plan.events;
  return length === 0 || equal(journal.tail.slice(-length), plan.events);
}

function equal(a: unknown, b: unknown): boolean {
  return equalJson(a as JsonValue, b as JsonValue);
}
