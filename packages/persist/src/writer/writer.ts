import type { Env } from '@vitrine/core/internal/graph/env';
import { isFinished } from '@vitrine/core/internal/graph/execution-state';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type {
  SessionCheckpoint,
  SessionLoad,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import type { ChangeLog, Taken } from './change-log.ts';
import {
  foldedOf,
  hasLeftForBranch,
  type Head,
  headIn,
  type Moment,
  momentOf,
  type Origin,
  planWrite,
  type Stored,
  type WritePlan,
  type ReadRecord,
  readRecord,
} from './plan-write.ts';
import type { Saved } from '@vitrine/core/internal/session/persistence';
import type { SessionTitle } from '@vitrine/core/internal/session/conversation/session-title';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { isDeleted } from '@vitrine/core/internal/session/store/is-deleted';

/** Writes one session to its store. It knows the stored version and takes one call at a time. */
export type Writer = {
  /**
   * Writes the pending changes; `onBegin` is called when there are any.
   * @throws the errors of the store, and `session-conflict` after a write of another writer.
   */
  readonly write: (onBegin: () => void) => Promise<void>;
  /** Requests the writer epoch for a run that begins. The next write takes it, even without changes. */
  readonly claim: () => void;
  /** Reads the stored session and folds its tail. It is overwritten only after a journal begins on it. */
  readonly read: (reading: Promise<SessionLoad | null>) => Promise<SessionRecord | null>;
  /**
   * Goes on from the record that was read, when it is the result of a write of this writer whose answer was lost.
   * @returns false when another writer has the session.
   */
  readonly recoverOwnWrite: () => boolean;
  /** The id of the stored journal when the base is the record that was read; null otherwise. */
  readonly journalOf: (base: AgentState | null) => string | null;
  /** Begins a journal. @returns true when its base is the record that was read */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => boolean;
  readonly latest: () => Stored | null;
  /** The last epoch that this writer took, and the newest that its writes know; 0 before its first run. */
  readonly epochs: () => { readonly takenEpoch: number; readonly knownEpoch: number };
};

/** The number of times in a row that a conflict is checked with the store. */
const maxDoubts = 8;

type WriterParts = {
  readonly store: SessionStore;
  readonly env: Env;
  readonly log: ChangeLog;
  readonly title: SessionTitle;
};

/** The heads of a session before and after a change that another device made. */
export type HeadChange = { readonly before: Head; readonly after: Head };

type WriterOptions = WriterParts & {
  readonly current: () => Saved;
  /** Takes over the change of a head by another device. False when the session cannot do that now. */
  readonly takeHead: (change: HeadChange) => boolean;
};

export function createSessionWriter(options: WriterOptions): Writer {
  const { store, log, title } = options;
  const own = createOwnEpoch(store);
  let latest: Stored | null = null;
  /** The origin of a session whose stored form was evicted. */
  let origin: Origin | null = null;
  let found: ReadRecord | null = null;
  /** Failed writes of which one may have succeeded. */
  let doubtful: readonly Attempt[] = [];

  async function write(onBegin: () => void, depth = 0): Promise<void> {
    const saved = options.current();
    const { id } = saved;
    if (id === null) return;
    // Only a write that succeeds shows the result of failed ones.
    const isAsking = depth > 0 || doubtful.length > 0 || own.isClaimed();
    const attempt = nextAttempt(options, { ...saved, id }, { latest, origin, isAsking });
    if (attempt === null) return;
    onBegin();
    try {
      latest = settleAttempt(attempt, await send(store, attempt, own.knownEpoch()), log);
      doubtful = [];
    } catch (thrown) {
      if (!isAgentError(thrown, 'session-conflict')) doubtful = [...doubtful, attempt].slice(-maxDoubts);
      else if (depth < maxDoubts) return goOnAfter(thrown, id, () => write(onBegin, depth + 1));
      throw thrown;
    }
    if (own.isClaimed()) await own.take(id, latest?.version ?? 0);
  }

  const view = (): WriterView => ({ latest, own, doubtful });

  async function goOnAfter(thrown: unknown, id: string, again: () => Promise<void>): Promise<void> {
    if (!goOnWith(await doubtOf(store, id, view()).catch(() => null))) throw thrown;
    // Two writers may have written the same; only a successful write proves whose it is.
    await again();
  }

  function goOnWith(doubt: Doubt | null): boolean {
    // A fenced store has one writer at a time: whatever this one has not written is of the next.
    if (store.fence === 'end' && doubt?.type !== 'ours') return false;
    const next = doubt && storedAfter(doubt, latest, own, options);
    if (next === null) return false;
    if (next.latest === null) origin = latest?.head ?? origin;
    [latest, doubtful] = [next.latest, []];
    return true;
  }

  return {
    write: (onBegin) => write(onBegin),
    claim: own.claim,
    async read(reading) {
      const record = own.learn(await reading);
      found = record === null ? null : readRecord(record);
      return found && foldedOf(found);
    },
    recoverOwnWrite() {
      const doubt = found && doubtIn(found.record, view());
      return (doubt?.type === 'ours' || doubt?.type === 'own-epoch') && goOnWith(doubt);
    },
    journalOf: (base) =>
      found !== null && base === found.live.state ? found.stored.journalId || null : null,
    begin(journal) {
      const isFound = found !== null && journal.base === found.live.state;
      if (found !== null && isFound) {
        latest = found.stored;
        doubtful = [];
        own.noteFound(found.record.epoch ?? 0);
        log.restore(found.live);
        title.restore(latest.head.title, latest.state);
        found = null;
      }
      log.begin(journal);
      return isFound;
    },
    latest: () => latest,
    epochs: () => ({ takenEpoch: own.takenEpoch(), knownEpoch: own.knownEpoch() }),
  };
}

/** The knowledge of what is stored, when the writer goes on; null when another writer has the session. */
function storedAfter(
  doubt: Doubt,
  latest: Stored | null,
  own: OwnEpoch,
  { takeHead, log }: Pick<WriterOptions, 'takeHead' | 'log'>,
): { readonly latest: Stored | null } | null {
  if (doubt.type === 'ours') return { latest: settleAttempt(doubt.attempt, doubt.version, log) };
  if (latest === null) return null;
  switch (doubt.type) {
    case 'overtaken':
      return null;
    case 'own-epoch':
      own.know(doubt.epoch);
      // Only the next one is certain to be our own.
      own.claim();
      return { latest };
    case 'other-head': {
      const { head, version } = doubt;
      return takeHead({ before: latest.head, after: head }) ? { latest: { ...latest, head, version } } : null;
    }
    case 'evicted':
      own.know(doubt.epoch);
      return { latest: null };
  }
}

/** Removes the changes of a successful write from the log. @returns what is stored then */
function settleAttempt({ takenEpoch, plan, next }: Attempt, version: number, log: ChangeLog): Stored {
  log.settle(takenEpoch, plan.type === 'save');
  return { ...next, version };
}

/** Returns the write that stores the pending changes; null when there are none. */
function nextAttempt(
  { store, env, log, title }: WriterParts,
  saved: Saved & { readonly id: string },
  {
    latest,
    origin,
    isAsking,
  }: { readonly latest: Stored | null; readonly origin: Origin | null; readonly isAsking: boolean },
): Attempt | null {
  const taken = log.take(saved.state);
  const now = env.now();
  const facts = {
    id: saved.id,
    title: title.of(saved),
    now,
    origin,
    canAppend: store.append !== undefined,
    isAsking,
  };
  const moment = momentOf(latest, saved, taken, facts);
  const plan = planWrite(latest, moment);
  return plan.type === 'nothing' ? null : attemptOf(latest, moment, plan, taken);
}

/** The epoch of one writer: the newest one that it knows, and whether a run waits for the next one. */
type OwnEpoch = {
  /** The known epoch. The store rejects a write with it once another writer has taken a newer one. */
  readonly knownEpoch: () => number;
  /** The last epoch that this writer took itself; 0 before that. */
  readonly takenEpoch: () => number;
  readonly know: (epoch: number) => void;
  /** Returns the record that was read. Without one it knows the epoch that a run left which died before its first write. */
  readonly learn: (load: SessionLoad | null) => SessionRecord | null;
  /** Takes the epoch of a record that was read; no run of this writer has begun on it. */
  readonly noteFound: (epoch: number) => void;
  readonly claim: () => void;
  /** True when a run has begun and its epoch is not taken yet. */
  readonly isClaimed: () => boolean;
  /**
   * Takes the next epoch before a run calls a model. After that other writers must read this one's work
   * before they write.
   * @throws AgentError `session-conflict` when the stored version is not the known one.
   */
  readonly take: (id: string, version: number) => Promise<void>;
  /** True when an epoch was asked for and no answer came. */
  readonly isTaking: () => boolean;
};

function createOwnEpoch(store: SessionStore): OwnEpoch {
  let [epoch, lastTaken] = [0, 0];
  let isClaimed = false;
  let isTaking = false;

  return {
    knownEpoch: () => epoch,
    takenEpoch: () => lastTaken,
    know: (next) => void (epoch = next),
    learn(load) {
      if (load?.kind === 'absent' && load.removedAt === null) epoch = Math.max(epoch, load.epoch);
      return load && loadedSession(load);
    },
    isTaking: () => isTaking,
    noteFound(next) {
      isClaimed = isTaking = false;
      epoch = Math.max(epoch, next);
    },
    claim: () => void (isClaimed = true),
    isClaimed: () => isClaimed,
    async take(id, version) {
      isTaking = true;
      const taken = await store.takeEpoch(id, { expectedVersion: version }).catch((thrown: unknown) => {
        if (isAgentError(thrown, 'session-conflict')) isTaking = false;
        throw thrown;
      });
      isTaking = false;
      epoch = lastTaken = taken.epoch;
      isClaimed = false;
    },
  };
}

/** A write and the stored state after it succeeds. */
type Attempt = {
  readonly plan: Exclude<WritePlan, { readonly type: 'nothing' }>;
  readonly takenEpoch: Taken;
  /** The version that the write is based on. */
  readonly expectedVersion: number;
  readonly next: Stored;
  readonly checkpoints: readonly SessionCheckpoint[];
};

function attemptOf(
  stored: Stored | null,
  { journalId, head, state, branches, checkpoints, canAppend }: Moment,
  plan: Attempt['plan'],
  takenEpoch: Taken,
): Attempt {
  const expectedVersion = stored?.version ?? 0;
  if (plan.type === 'append' && stored !== null) {
    const records = stored.records + (plan.events.length === 0 ? 0 : 1);
    const tailSize = stored.tailSize + plan.size;
    const next = { ...stored, records, tailSize, state, head: plan.head ?? stored.head };
    return { plan, takenEpoch, expectedVersion, next, checkpoints };
  }
  // A folded tail takes a number too, so that a number names one state.
  const records = stored?.journalId === journalId ? stored.records + (canAppend ? 1 : 0) : 0;
  const next = { head, journalId, records, state, branches, snapshot: state, tailSize: 0 };
  return { plan, takenEpoch, expectedVersion, next: { ...next, version: expectedVersion }, checkpoints };
}

/** Sends the write to the store. @returns the new version */
function send(
  store: SessionStore,
  { plan, takenEpoch, expectedVersion, next, checkpoints }: Attempt,
  epoch: number,
): Promise<number> {
  const { commands } = takenEpoch;
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
  const { newRuns, isErasing } = takenEpoch;
  const journal = { id: journalId, records, tail: [] };
  const record = { ...head, version: expectedVersion, state: snapshot, journal, branches, checkpoints };
  return store.save(record, { ...base, newRuns, isErasing });
}

/** The result of checking a conflict that the store reported. */
type Doubt =
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
type WriterView = {
  readonly latest: Stored | null;
  readonly own: Pick<OwnEpoch, 'knownEpoch' | 'takenEpoch' | 'isTaking'>;
  /** The writes without an answer. */
  readonly doubtful: readonly Attempt[];
};

/** Asks the store which write came last. */
async function doubtOf(store: SessionStore, id: string, view: WriterView): Promise<Doubt> {
  const found = await store.load(id);
  if (found.kind === 'absent' && found.removedAt === null) return { type: 'evicted', epoch: found.epoch };
  return found.kind === 'there' ? doubtIn(found.session, view) : { type: 'overtaken' };
}

/** Finds out which write a stored session is the result of. */
function doubtIn(session: SessionRecord, view: WriterView): Doubt {
  const attempt = view.doubtful.find((entry) => isMadeBy(entry, session));
  if (attempt !== undefined) return { type: 'ours', attempt, version: session.version };
  return isDeleted(session) ? { type: 'overtaken' } : changeOf(session, view);
}

/** The change that another writer has made to a session that is still there. */
function changeOf(record: SessionRecord, { latest, own }: WriterView): Doubt {
  const epoch = own.knownEpoch();
  const { epoch: storedEpoch = 0, version } = record;
  if (latest === null) return { type: 'overtaken' };
  if (own.isTaking() && storedEpoch === epoch + 1 && version === latest.version)
    return { type: 'own-epoch', epoch: storedEpoch };
  const { journal, branches } = record;
  const { execution } = latest.state;
  // While a run of this writer goes on, no other page can begin a message without the next epoch.
  const isRunning = epoch === own.takenEpoch() && execution !== null && !isFinished(execution);
  const isSame =
    storedEpoch === epoch &&
    journal.id === latest.journalId &&
    journal.records === latest.records &&
    branches.length === latest.branches.length &&
    branches.every(({ id }, at) => id === latest.branches[at]?.id) &&
    (isRunning || !hasLeftForBranch(latest, record.queue)) &&
    // A store that takes no events counts no records.
    equal(readRecord(record).live.state, latest.state);
  return isSame ? { type: 'other-head', head: headIn(record), version } : { type: 'overtaken' };
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
