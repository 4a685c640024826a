import type { Env } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import { conflict } from '../stores/session-conflict.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { type Attempt, attemptOf, type Doubt, doubtIn, doubtOf, send, type WriterView } from './attempt.ts';
import type { ChangeLog } from './change-log.ts';
import type { Origin } from './head-of.ts';
import { momentOf } from './moment-of.ts';
import { planWrite } from './plan-write.ts';
import { type ReadRecord, readRecord } from './read-record.ts';
import type { Head, Saved, Stored } from './saved.ts';
import type { SessionTitle } from './session-title.ts';

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
  readonly read: (reading: Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
  /**
   * Goes on from the record that was read, when it is the result of a write of this writer whose answer was lost.
   * @returns false when another writer has the session.
   */
  readonly recover: () => boolean;
  /** The id of the stored journal when the base is the record that was read; null otherwise. */
  readonly journalOf: (base: AgentState | null) => string | null;
  /** Begins a journal. @returns true when its base is the record that was read */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => boolean;
  readonly stored: () => Stored | null;
  /** The last epoch that this writer took; 0 before its first run. */
  readonly takenEpoch: () => number;
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
  readonly saved: () => Saved;
  /** Takes over the change of a head by another device. False when the session cannot do that now. */
  readonly takeHead: (change: HeadChange) => boolean;
};

export function createWriter(options: WriterOptions): Writer {
  const { store, log, title } = options;
  const own = createOwnEpoch(store);
  let stored: Stored | null = null;
  /** The origin of a session whose stored form was evicted. */
  let origin: Origin | null = null;
  let found: ReadRecord | null = null;
  /** Failed writes of which one may have succeeded. */
  let doubtful: readonly Attempt[] = [];

  async function write(onBegin: () => void, depth = 0): Promise<void> {
    const saved = options.saved();
    const { id } = saved;
    if (id === null) return;
    // Only a write that succeeds shows the result of failed ones.
    const isAsking = depth > 0 || doubtful.length > 0 || own.isClaimed();
    const attempt = nextAttempt(options, { ...saved, id }, { stored, origin, isAsking });
    if (attempt === null) return;
    onBegin();
    try {
      stored = settled(attempt, await send(store, attempt, own.known()), log);
      doubtful = [];
    } catch (thrown) {
      if (!isAgentError(thrown, 'session-conflict')) doubtful = [...doubtful, attempt];
      else if (depth < maxDoubts) return goOnAfter(thrown, id, () => write(onBegin, depth + 1));
      throw thrown;
    }
    if (own.isClaimed()) await own.take(id, stored?.version ?? 0);
  }

  const view = (): WriterView => ({ stored, epoch: own.known(), doubtful, isTaking: own.isTaking() });

  async function goOnAfter(thrown: unknown, id: string, again: () => Promise<void>): Promise<void> {
    if (!goOnWith(await doubtOf(store, id, view()).catch(() => null))) throw thrown;
    // Two writers may have written the same; only a successful write proves whose it is.
    await again();
  }

  function goOnWith(doubt: Doubt | null): boolean {
    const next = doubt && storedAfter(doubt, stored, own, options);
    if (next === null) return false;
    if (next.stored === null) origin = stored?.head ?? origin;
    [stored, doubtful] = [next.stored, []];
    return true;
  }

  return {
    write: (onBegin) => write(onBegin),
    claim: own.claim,
    async read(reading) {
      const record = await reading;
      found = record === null ? null : readRecord(record);
      return found && foldedOf(found);
    },
    recover() {
      const doubt = found && doubtIn(found.record, view());
      return (doubt?.type === 'ours' || doubt?.type === 'own-epoch') && goOnWith(doubt);
    },
    journalOf: (base) =>
      found !== null && base === found.live.state ? found.stored.journalId || null : null,
    begin(journal) {
      const isFound = found !== null && journal.base === found.live.state;
      if (found !== null && isFound) {
        stored = found.stored;
        doubtful = [];
        own.found(found.record.epoch ?? 0);
        log.restore(found.live);
        title.restore(stored.head.title, stored.state);
        found = null;
      }
      log.begin(journal);
      return isFound;
    },
    stored: () => stored,
    takenEpoch: own.taken,
  };
}

/** The knowledge of what is stored, when the writer goes on; null when another writer has the session. */
function storedAfter(
  doubt: Doubt,
  stored: Stored | null,
  own: OwnEpoch,
  { takeHead, log }: Pick<WriterOptions, 'takeHead' | 'log'>,
): { readonly stored: Stored | null } | null {
  if (doubt.type === 'ours') return { stored: settled(doubt.attempt, doubt.version, log) };
  if (stored === null) return null;
  switch (doubt.type) {
    case 'overtaken':
      return null;
    case 'own-epoch':
      own.know(doubt.epoch);
      // Only the next one is certain to be our own.
      own.claim();
      return { stored };
    case 'other-head': {
      const { head, version } = doubt;
      return takeHead({ before: stored.head, after: head }) ? { stored: { ...stored, head, version } } : null;
    }
    case 'evicted':
      own.know(doubt.epoch);
      return { stored: null };
  }
}

/** Removes the changes of a successful write from the log. @returns what is stored then */
function settled({ taken, plan, next }: Attempt, version: number, log: ChangeLog): Stored {
  log.settle(taken, plan.type === 'save');
  return { ...next, version };
}

/** The record that was read, with its tail folded. */
function foldedOf({ record, live: { state, checkpoints } }: ReadRecord): SessionRecord {
  return { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
}

/** Returns the write that stores the pending changes; null when there are none. */
function nextAttempt(
  { store, env, log, title }: WriterParts,
  saved: Saved & { readonly id: string },
  {
    stored,
    origin,
    isAsking,
  }: { readonly stored: Stored | null; readonly origin: Origin | null; readonly isAsking: boolean },
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
  const moment = momentOf(stored, saved, taken, facts);
  const plan = planWrite(stored, moment);
  return plan.type === 'nothing' ? null : attemptOf(stored, moment, plan, taken);
}

/** The epoch of one writer: the newest one that it knows, and whether a run waits for the next one. */
type OwnEpoch = {
  /** The known epoch. The store rejects a write with it once another writer has taken a newer one. */
  readonly known: () => number;
  /** The last epoch that this writer took itself; 0 before that. */
  readonly taken: () => number;
  readonly know: (epoch: number) => void;
  /** Takes the epoch of a record that was read; no run of this writer has begun on it. */
  readonly found: (epoch: number) => void;
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
    known: () => epoch,
    taken: () => lastTaken,
    know: (next) => void (epoch = next),
    isTaking: () => isTaking,
    found(next) {
      isClaimed = isTaking = false;
      epoch = Math.max(epoch, next);
    },
    claim: () => void (isClaimed = true),
    isClaimed: () => isClaimed,
    async take(id, version) {
      isTaking = true;
      const taken = await store.takeEpoch(id);
      isTaking = false;
      if (taken.version !== version) throw conflict(id, { version, epoch }, taken);
      epoch = lastTaken = taken.epoch;
      isClaimed = false;
    },
  };
}
