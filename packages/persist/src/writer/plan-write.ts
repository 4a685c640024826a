import * as errors from '@vitrine/core/internal/kit/errors';
import { messages, status } from '@vitrine/core/internal/graph/agent-state/accessors';
import { chosenModel } from '@vitrine/core/internal/graph/agent-state/chosen-model';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { jsonSize } from '@vitrine/core/internal/kit/json';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import type {
  SessionBranch,
  SessionCheckpoint,
  SessionRecord,
} from '@vitrine/core/internal/session/store/session-store';
import { type Head, headIn } from '../rows/head.ts';
import type { Timestamp } from '@vitrine/core/internal/graph/env';
import type { Saved } from '@vitrine/core/internal/session/persistence';
import type { Taken } from './change-log.ts';
import {
  treeWithoutTransient,
  withoutTransientPlugins,
  withoutTransientWrites,
} from '@vitrine/core/internal/session/store/without-transient';
import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { branchMessages, placesIn } from '@vitrine/core/internal/session/branches/branch-messages';
import { isKnownEvent } from '@vitrine/core/internal/run/apply';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { liveRecord, type LiveRecord } from '@vitrine/core/internal/session/store/live-record';

/** The tail length in characters below which it is never folded into the snapshot. */
const smallTail = 64 * 1024;
/** The tail length in characters beyond which it is folded during a run. */
const longTail = 1024 * 1024;
/** The age at which `updatedAt` is written along with events, in milliseconds. A younger change waits. */
const staleMs = 60_000;

/** The input of a write plan. */
export type Moment = {
  readonly journalId: string;
  readonly state: AgentState;
  readonly head: Head;
  readonly branches: readonly SessionBranch[];
  readonly checkpoints: readonly SessionCheckpoint[];
  /** The events since the last write. */
  readonly events: readonly AgentChange[];
  /** True when messages were erased since the last write and must not stay stored. */
  readonly isWhole: boolean;
} & Pick<Facts, 'isAsking'>;

/** The next write. An append without a head leaves the stored head unchanged. */
export type WritePlan =
  | {
      readonly type: 'append';
      readonly events: readonly AgentChange[];
      readonly size: number;
      readonly head: Head | null;
    }
  | { readonly type: 'save' };

/** Plans the next write. An untouched session is not stored; a tail grows while it is shorter than its snapshot. */
export function planWrite(stored: Stored | null, moment: Moment): WritePlan | null {
  if (stored === null) return isWorthSaving(moment) ? { type: 'save' } : null;
  const { events, head } = moment;
  const isSame = moment.journalId === stored.journalId;
  const isWhole = !isSame || moment.isWhole || moment.branches !== stored.branches;
  const hasEvents = events.length > 0;
  const isOther = hasNewHead(stored.head, head);
  if (!isWhole && !hasEvents && !isOther && !moment.isAsking) return null;
  const size = jsonSize(events);
  if (isWhole || isOutgrown(stored, events, size)) return { type: 'save' };
  const isStale = head.updatedAt - stored.head.updatedAt > staleMs;
  return { type: 'append', events, size, head: isOther || isStale || !hasEvents ? head : null };
}

function isWorthSaving({ state, head }: Moment): boolean {
  return (
    messages(state).length > 0 ||
    chosenModel(state) !== null ||
    head.queue.length > 0 ||
    head.draft !== '' ||
    head.title !== ''
  );
}

function hasNewHead(stored: Head, head: Head): boolean {
  return (
    stored.title !== head.title ||
    !isSameQueue(stored.queue, head.queue) ||
    stored.draft !== head.draft ||
    stored.executionStatus !== head.executionStatus ||
    stored.movedTo?.moveId !== head.movedTo?.moveId ||
    stored.movedTo?.isThere !== head.movedTo?.isThere
  );
}

/** Compares by content, because a queue that was read is another object than the written one. */
function isSameQueue(stored: Head['queue'], queue: Head['queue']): boolean {
  return (
    stored === queue ||
    (stored.length === queue.length &&
      stored.every(({ id, isSteered }, at) => id === queue[at]?.id && isSteered === queue[at].isSteered))
  );
}

const snapshotSize = memoize((snapshot: AgentState): number => jsonSize(snapshot));

/**
 * True when the tail is longer than its snapshot and may be folded: when a turn begins, so that folding is rare. Within
 * one run the tail may grow further, while reading it stays cheap.
 */
function isOutgrown({ tailSize, snapshot }: Stored, events: readonly AgentChange[], size: number): boolean {
  const tail = tailSize + size;
  const isAllowed = events.some(isTurn) || (tail > longTail && !isDelta(events.at(-1)));
  return isAllowed && tail > smallTail && tail > snapshotSize(snapshot);
}

function isTurn(event: AgentChange): boolean {
  return event.type === 'message-add' && event.path.length === 0 && event.source === 'user';
}

/** In the middle of an answer its text would be written twice. */
function isDelta(event: AgentChange | undefined): boolean {
  return event?.type === 'text-delta' || event?.type === 'reasoning-delta';
}

type Facts = {
  readonly id: string;
  readonly title: string;
  readonly now: Timestamp;
  /** The origin of a session that is stored no more. */
  readonly origin: Origin | null;
  /** True when a write is needed even without changes, to find out whether the stored session is ours. */
  readonly isAsking: boolean;
};

/** The part of a head that is written once and kept. */
export type Origin = Pick<Head, 'parentId' | 'createdAt'>;

/** Returns the head to write. A draft alone does not change `updatedAt`, so the session keeps its place in the list. */
function headOf(
  stored: Stored | null,
  { agentName, queue, draft, movedTo }: Saved,
  { id, title, now, origin }: Facts,
  state: AgentState,
): Head {
  const { parentId, createdAt } = stored?.head ?? origin ?? { parentId: null, createdAt: state.createdAt };
  return {
    id,
    title,
    agentName,
    parentId,
    createdAt,
    updatedAt: stored !== null && stored.state === state ? stored.head.updatedAt : now,
    status: 'active',
    executionStatus: status(state),
    queue,
    draft,
    ...(movedTo === null ? {} : { movedTo }),
  };
}

/** The known content of the store for one session. */
export type Stored = {
  readonly version: number;
  readonly head: Head;
  readonly journalId: string;
  /** The number of records behind the snapshot, which is the number of the next record. */
  readonly records: number;
  /** The state after snapshot and tail, as it is saved. */
  readonly state: AgentState;
  readonly snapshot: AgentState;
  /** The approximate length of the tail in characters. */
  readonly tailSize: number;
  readonly branches: readonly SessionBranch[];
};

/** Returns the input of `planWrite`, without the state of plugins that is not saved. */
export function momentOf(stored: Stored | null, saved: Saved, taken: Taken, facts: Facts): Moment {
  const { plugins } = saved;
  const state = withoutTransientPlugins(taken.state, plugins);
  return {
    journalId: taken.journalId,
    state,
    head: headOf(stored, saved, facts, state),
    ...treeWithoutTransient(saved, plugins),
    events: taken.events.map((event) => withoutTransientWrites(event, plugins)),
    isWhole: taken.isWhole,
    isAsking: facts.isAsking,
  };
}

/** A stored session after reading: its live record, and the base of the next write. */
export type ReadRecord = {
  readonly record: SessionRecord;
  readonly live: LiveRecord;
  readonly stored: Stored;
};

/**
 * Folds the stored tail after checking that it is complete.
 * @throws AgentError `state-version-unsupported` for an event of a later version.
 * @throws AgentError `state-invalid` for a tail that cannot be folded or lacks events.
 */
export function readRecord(record: SessionRecord): ReadRecord {
  const { state: snapshot, journal, branches, version } = record;
  const { tail } = journal;
  const newer = tail.find((event) => !isKnownEvent(event));
  if (newer !== undefined) throw tooNew(newer);
  checkNumbers(snapshot, tail);
  const live = guardFold('journal.tail', () => liveRecord(record));
  return {
    record,
    live,
    stored: {
      version,
      head: headIn(record),
      journalId: journal.id,
      records: journal.records,
      state: live.state,
      snapshot,
      tailSize: jsonSize(tail),
      branches,
    },
  };
}

/** Checks that the events of each agent are numbered without a gap. A merged event counts as its parts. */
function checkNumbers(snapshot: AgentState, tail: readonly AgentChange[]): void {
  const known = new Map<string, number>();
  for (const [at, event] of tail.entries()) {
    const path = `journal.tail.${at}`;
    const agent = event.path.join('/');
    const last = known.get(agent) ?? guardFold(path, () => stateAtPath(snapshot, event.path)?.seq);
    if (last === undefined)
      throw errors.stateInvalid({ path, what: 'the agent that it speaks of is not there' });
    const first = event.seq - ('n' in event ? (event.n ?? 1) : 1) + 1;
    if (first !== last + 1)
      throw errors.stateInvalid({ path, what: `event ${last + 1} should stand here, ${first} does` });
    known.set(agent, event.seq);
    if (event.type === 'subagent-start')
      known.set([...event.path, event.toolCallId].join('/'), event.child.seq);
  }
}

export function guardFold<Value>(path: string, fold: () => Value): Value {
  try {
    return fold();
  } catch (thrown) {
    if (isAgentError(thrown)) throw thrown;
    throw errors.stateInvalid({ path, what: 'an event cannot be applied' });
  }
}

export function tooNew({ type }: { readonly type: string }): AgentError {
  const advice = `It holds events of the type ${JSON.stringify(type)}: reload the page, so that the newest version reads it. Nothing was changed.`;
  return errors.stateVersionUnsupported({ kind: 'journal', path: '', version: 2, supported: 1, advice });
}

export function foldedOf({ record, live: { state, checkpoints } }: ReadRecord): SessionRecord {
  return { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
}

/** True when a message that waited on the branch waits no more: another page begins it, or knows it only there. */
export function hasLeftForBranch({ head, state }: Stored, queue: Head['queue']): boolean {
  const left = head.queue.filter(({ id }) => queue.every((entry) => entry.id !== id));
  if (left.length === 0) return false;
  const places = placesIn(branchMessages(state));
  return left.some(({ id }) => places.has(id));
}
