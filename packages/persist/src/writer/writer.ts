import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
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
  type Moment,
  momentOf,
  type Origin,
  planWrite,
  type Stored,
  type WritePlan,
  type ReadRecord,
  readRecord,
} from './plan-write.ts';
import { type Head, headIn } from '../rows/head.ts';
import type { Saved } from '@vitrine/core/internal/session/persistence';
import type { SessionTitle } from '@vitrine/core/internal/session/conversation/session-title';
import { equalJson } from '@vitrine/core/internal/kit/json';
import { isDeleted } from '@vitrine/core/internal/session/store/is-deleted';

/** The number of times in a row that a conflict is checked with the store. */
const maxDoubts = 8;

/** The heads of a session before and after a change that another device made. */
export type HeadChange = { readonly before: Head; readonly after: Head };

type WriterOptions = {
  readonly store: SessionStore;
  readonly env: Env;
  readonly log: ChangeLog;
  readonly title: SessionTitle;
  readonly current: () => Saved;
  /** Takes over the change of a head by another device. False when the session cannot do that now. */
  readonly takeHead: (change: HeadChange) => boolean;
};

/** Writes one session to its store. It knows the stored version and takes one call at a time. */
export class Writer {
  readonly epoch: OwnEpoch;
  readonly #options: WriterOptions;
  #latest: Stored | null = null;
  /** The origin of a session whose stored form was evicted. */
  #origin: Origin | null = null;
  #found: ReadRecord | null = null;
  /** Failed writes of which one may have succeeded. */
  #doubtful: readonly Attempt[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
    this.epoch = new OwnEpoch(options.store);
  }

  /** The content that was last written or read; null when nothing is stored. */
  get latest(): Stored | null {
    return this.#latest;
  }

  /**
   * Writes the pending changes; `onBegin` is called when there are any.
   * @throws the errors of the store, and `session-conflict` after a write of another writer.
   */
  async write(onBegin: () => void, depth = 0): Promise<void> {
    const { store, log, current } = this.#options;
    const { epoch } = this;
    const saved = current();
    const { id } = saved;
    if (id === null) return;
    // Only a write that succeeds shows the result of failed ones.
    const isAsking = depth > 0 || this.#doubtful.length > 0 || epoch.isClaimed;
    const attempt = this.#nextAttempt({ ...saved, id }, isAsking);
    if (attempt === null) return;
    onBegin();
    try {
      this.#latest = settleAttempt(attempt, await send(store, attempt, epoch.known), log);
      this.#doubtful = [];
    } catch (thrown) {
      if (!isAgentError(thrown, 'session-conflict'))
        this.#doubtful = [...this.#doubtful, attempt].slice(-maxDoubts);
      else if (depth < maxDoubts && this.#goOnWith(await this.#askStore(id).catch(() => null)))
        // A later run may have begun since; only a successful write proves that none has.
        return this.write(onBegin, depth + 1);
      throw thrown;
    }
    if (epoch.isClaimed) await epoch.take(id, this.#latest?.version ?? 0);
  }

  /** Reads the stored session and folds its tail. It is overwritten only after a journal begins on it. */
  async read(reading: Promise<SessionLoad | null>): Promise<SessionRecord | null> {
    const record = this.epoch.learn(await reading);
    this.#found = record === null ? null : readRecord(record);
    return this.#found && foldedOf(this.#found);
  }

  /**
   * Goes on from the record that was read, when it is the result of a write of this writer whose answer was lost.
   * @returns false when another writer has the session.
   */
  recoverOwnWrite(): boolean {
    const doubt = this.#found && this.#doubtIn(this.#found.record);
    return (doubt?.type === 'ours' || doubt?.type === 'own-epoch') && this.#goOnWith(doubt);
  }

  /** The id of the stored journal that a new journal on this base continues; null for any other base. */
  journalOf(base: AgentState | null): string | null {
    const found = this.#found;
    return found !== null && base === found.live.state ? found.stored.journalId || null : null;
  }

  /** Begins a journal. @returns true when its base is the record that was read */
  begin(journal: { readonly id: string; readonly base: AgentState }): boolean {
    const { log, title } = this.#options;
    const found = this.#found;
    const isFound = found !== null && journal.base === found.live.state;
    if (isFound) {
      this.#latest = found.stored;
      this.#doubtful = [];
      this.epoch.noteFound(found.record.epoch ?? 0);
      log.restore(found.live);
      title.restore(found.stored.head.title, found.stored.state);
      this.#found = null;
    }
    log.begin(journal);
    return isFound;
  }

  /** Returns the write that stores the pending changes; null when there are none. */
  #nextAttempt(saved: Saved & { readonly id: string }, isAsking: boolean): Attempt | null {
    const { env, log, title } = this.#options;
    const taken = log.take(saved.state);
    const now = env.now();
    const facts = { id: saved.id, title: title.of(saved), now, origin: this.#origin, isAsking };
    const moment = momentOf(this.#latest, saved, taken, facts);
    const plan = planWrite(this.#latest, moment);
    return plan === null ? null : attemptOf(this.#latest, moment, plan, taken);
  }

  /** Takes over what a doubt tells of the stored session. @returns false when another writer has it */
  #goOnWith(doubt: Doubt | null): boolean {
    // A fenced store has one writer at a time: whatever this one has not written is of the next.
    if (doubt === null || (this.#options.store.fence === 'end' && doubt.type !== 'ours')) return false;
    const latest = this.#latest;
    if (doubt.type === 'ours') this.#latest = settleAttempt(doubt.attempt, doubt.version, this.#options.log);
    else if (latest === null || doubt.type === 'overtaken') return false;
    else if (doubt.type === 'other-head') {
      const { head, version } = doubt;
      if (!this.#options.takeHead({ before: latest.head, after: head })) return false;
      this.#latest = { ...latest, head, version };
    } else {
      this.epoch.known = doubt.epoch;
      // Only the next epoch is certain to be our own.
      if (doubt.type === 'own-epoch') this.epoch.isClaimed = true;
      else [this.#latest, this.#origin] = [null, latest.head];
    }
    this.#doubtful = [];
    return true;
  }

  /** Asks the store which write came last. */
  async #askStore(id: string): Promise<Doubt> {
    const found = await this.#options.store.load(id);
    if (found.kind === 'absent' && found.removedAt === null) return { type: 'evicted', epoch: found.epoch };
    return found.kind === 'there' ? this.#doubtIn(found.session) : { type: 'overtaken' };
  }

  /** Finds out which write a stored session is the result of. */
  #doubtIn(session: SessionRecord): Doubt {
    const attempt = this.#doubtful.find(({ writeId }) => writeId === session.writeId);
    if (attempt !== undefined) return { type: 'ours', attempt, version: session.version };
    return isDeleted(session) ? { type: 'overtaken' } : this.#changeIn(session);
  }

  /** The change that another writer has made to a session that is still there. */
  #changeIn(record: SessionRecord): Doubt {
    const latest = this.#latest;
    const { known, taken, isTaking } = this.epoch;
    const { epoch = 0, version, journal, branches } = record;
    if (latest === null) return { type: 'overtaken' };
    if (isTaking && epoch === known + 1 && version === latest.version) return { type: 'own-epoch', epoch };
    const { execution } = latest.state;
    // While a run of this writer goes on, no other page can begin a message without the next epoch.
    const isRunning = known === taken && execution !== null && !isFinished(execution);
    const isSame =
      epoch === known &&
      journal.id === latest.journalId &&
      journal.records === latest.records &&
      branches.length === latest.branches.length &&
      branches.every(({ id }, at) => id === latest.branches[at]?.id) &&
      (isRunning || !hasLeftForBranch(latest, record.queue)) &&
      equalJson(readRecord(record).live.state, latest.state);
    return isSame ? { type: 'other-head', head: headIn(record), version } : { type: 'overtaken' };
  }
}

/** Removes the changes of a successful write from the log. @returns what is stored then */
function settleAttempt({ takenEpoch, plan, next }: Attempt, version: number, log: ChangeLog): Stored {
  log.settle(takenEpoch, plan.type === 'save');
  return { ...next, version };
}

/** The epoch of one writer: the newest one that it knows, and whether a run waits for the next one. */
class OwnEpoch {
  readonly #store: SessionStore;
  /** The known epoch. The store rejects a write with it once another writer has taken a newer one. */
  known = 0;
  /** The last epoch that this writer took itself; 0 before that. */
  taken = 0;
  /** True when a run has begun and its epoch is not taken yet. */
  isClaimed = false;
  /** True when an epoch was asked for and no answer came. */
  isTaking = false;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Returns the record that was read. Without one it knows the epoch that a run left which died before its first write. */
  learn(load: SessionLoad | null): SessionRecord | null {
    if (load?.kind === 'absent' && load.removedAt === null) this.known = Math.max(this.known, load.epoch);
    return load && loadedSession(load);
  }

  /** Takes the epoch of a record that was read; no run of this writer has begun on it. */
  noteFound(epoch: number): void {
    this.isClaimed = this.isTaking = false;
    this.known = Math.max(this.known, epoch);
  }

  /**
   * Takes the next epoch before a run calls a model. After that other writers must read this one's work
   * before they write.
   * @throws AgentError `session-conflict` when the stored version is not the known one.
   */
  async take(id: string, version: number): Promise<void> {
    this.isTaking = true;
    const { epoch } = await this.#store
      .takeEpoch(id, { expectedVersion: version })
      .catch((thrown: unknown) => {
        if (isAgentError(thrown, 'session-conflict')) this.isTaking = false;
        throw thrown;
      });
    this.known = this.taken = epoch;
    this.isTaking = this.isClaimed = false;
  }
}

/** A write and the stored state after it succeeds. */
type Attempt = {
  /** The id that the store keeps with it. */
  readonly writeId: string;
  readonly plan: WritePlan;
  readonly takenEpoch: Taken;
  readonly expectedVersion: number;
  readonly next: Stored;
  readonly checkpoints: readonly SessionCheckpoint[];
};

function attemptOf(
  stored: Stored | null,
  { journalId, head, state, branches, checkpoints }: Moment,
  plan: WritePlan,
  takenEpoch: Taken,
): Attempt {
  const given = {
    writeId: systemEnv.id(),
    plan,
    takenEpoch,
    checkpoints,
    expectedVersion: stored?.version ?? 0,
  };
  if (plan.type === 'append' && stored !== null) {
    const records = stored.records + (plan.events.length === 0 ? 0 : 1);
    const tailSize = stored.tailSize + plan.size;
    const next = { ...stored, records, tailSize, state, head: plan.head ?? stored.head };
    return { ...given, next };
  }
  // A folded tail takes a number too, so that a number names one state.
  const records = stored?.journalId === journalId ? stored.records + 1 : 0;
  const next = { head, journalId, records, state, branches, snapshot: state, tailSize: 0 };
  return { ...given, next: { ...next, version: given.expectedVersion } };
}

/** Sends the write to the store. @returns the new version */
function send(
  store: SessionStore,
  { writeId, plan, takenEpoch, expectedVersion, next, checkpoints }: Attempt,
  epoch: number,
): Promise<number> {
  const { commands } = takenEpoch;
  const base = {
    expectedVersion,
    writeId,
    ...(epoch === 0 ? {} : { epoch }),
    ...(commands.length === 0 ? {} : { commands }),
  };
  const { head, journalId, records, branches, snapshot } = next;
  if (plan.type === 'append') {
    const { events } = plan;
    const changed = plan.head === null ? {} : { head: plan.head };
    return store.append(head.id, { ...base, journalId, events, ...changed });
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
