import type { Env } from '@vitrine/core/internal/graph/env';
import { type ErrorInfo, of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import { AgentError, isAgentError } from '@vitrine/core/internal/kit/agent-error';
import type { PersistenceState } from '@vitrine/core/internal/session/agent-session';
import type {
  SessionLoad,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import type { Writer } from './writer.ts';
import { storeLimitMs } from '@vitrine/core/internal/session/replies';
import { retryMs, SaveClock } from './change-log.ts';

/** The outcome of a write: in `conflict` another writer has the session, in `closed` writes are stopped. */
export type SaveOutcome = 'saved' | 'failed' | 'conflict' | 'closed';

type SaveQueueOptions = {
  readonly writer: Writer;
  readonly env: Env;
  /** True while the store has not answered an earlier write. */
  readonly isSilent: () => boolean;
  /** True when the next write would store a new failure. */
  readonly isFailing: () => boolean;
  /** True while another tab writes. */
  readonly isPaused: () => boolean;
  /** True while the stored session could not be read, also when an earlier read succeeded. */
  readonly isUnread: () => boolean;
  /**
   * The persistence before anything was read or written. Called at every change, since a store may learn only later how
   * durable it is.
   */
  readonly first: () => PersistenceState;
  /** Another read, for a store that could not answer the first one. */
  readonly reread: () => Promise<SessionRecord | null>;
  /** Called when a repeated read finds a session after the first read failed, and nothing was written since. */
  readonly onLate: () => void;
  readonly onChange: () => void;
  readonly onWrite: () => void;
  readonly onConflict: () => void;
};

/** A page that still exists after this time stays, in milliseconds. */
const leaveMs = 1000;

/** Runs reads and writes of one session one after the other, and repeats those that fail. */
export class SaveQueue {
  readonly clock: SaveClock;
  readonly #options: SaveQueueOptions;
  readonly #rereads: Rereads;
  #shown: PersistenceState;
  #fork: Pick<PersistenceState, 'forkedTo'> = {};
  /** True once a read has succeeded. Writes are allowed only then. */
  #isReadable = false;
  #isLeaving = false;
  #isClosed = false;
  #isWriting = false;
  #reads = 0;
  #flushes = 0;
  #failure: unknown = null;
  #end: Promise<unknown> = Promise.resolve();

  constructor(options: SaveQueueOptions) {
    this.#options = options;
    this.#shown = options.first();
    this.#rereads = new Rereads(options.env);
    this.clock = new SaveClock(options.env, () => void this.flush(true));
  }

  get persistence(): PersistenceState {
    return this.#shown;
  }

  get isBusy(): boolean {
    return this.#isWriting || this.#isClosed;
  }

  /** False while a write is due, active or failed. */
  get isSettled(): boolean {
    const isIdle = !this.clock.isSet && this.#flushes === 0 && this.#failure === null;
    return this.#isClosed || this.#options.isPaused() || isIdle;
  }

  /**
   * Resolves with the stored session or null. Rejects when it cannot be read; then nothing is written. Only a store that
   * has no storage at all lets the session continue in memory.
   */
  read(reading: () => Promise<SessionLoad | null>): Promise<SessionRecord | null> {
    return this.#end.then(() => {
      this.#isClosed = false;
      return this.#read(reading);
    });
  }

  /** Writes the pending changes; `isDue` repeats a failed write. Never rejects. */
  flush(isDue = false): Promise<SaveOutcome> {
    this.clock.stop();
    this.#flushes++;
    const written = this.#end.then(() => this.#whenStaying()).then(() => this.#write(isDue));
    void (this.#end = written).then((outcome) => {
      this.#flushes--;
      if (outcome === 'conflict') this.#options.onConflict();
    });
    return written;
  }

  /**
   * Resolves when all changes up to now are stored. Rejects with the error of the store (`session-storage` when it is full
   * or unavailable), or with `session-conflict` after a write of another writer.
   */
  async whenStored(): Promise<void> {
    if ((await this.flush()) !== 'saved') throw this.#failure;
  }

  /** Writes what is due and resolves when that has ended; null while nothing is due, and for a store that fails. */
  untilWritten(): Promise<unknown> | null {
    return this.isSettled || this.#failure !== null ? null : this.flush();
  }

  /** Ends a conflict: the session continues from the record that was read. */
  goOn(): void {
    if (this.#failure !== null) this.#show('saved');
    this.#failure = null;
  }

  /**
   * Writes now because the page is leaving. A browser cancels requests before it hides a page, so a failed run was
   * interrupted: a new failure is written only by a page that stays.
   */
  leave(): void {
    this.#isLeaving = true;
    void this.flush();
  }

  /** Records the id of the session that holds changes which could not be stored. */
  noteFork(forkedTo: string): void {
    this.#fork = { forkedTo };
    this.#shown = { ...this.#shown, forkedTo };
    this.#options.onChange();
  }

  /** Stops all writes until the stored session is read again. */
  close(): void {
    this.#isClosed = true;
    this.clock.stop();
    this.#rereads.stop();
  }

  #show(status: PersistenceState['status'], error: ErrorInfo | null = null): void {
    this.#shown = { ...this.#options.first(), ...this.#fork, status, error };
    this.#options.onChange();
  }

  /** Shows the result of a read. A conflict stays shown until the session continues. */
  #showRead(status: PersistenceState['status'], error?: ErrorInfo): void {
    if (!isAgentError(this.#failure, 'session-conflict')) this.#show(status, error);
  }

  async #whenStaying(): Promise<void> {
    const { env, isFailing } = this.#options;
    if (!this.#isLeaving || !isFailing()) return;
    await new Promise<void>((resolve) => void env.schedule(leaveMs, resolve));
    this.#isLeaving = false;
  }

  async #write(isDue: boolean): Promise<SaveOutcome> {
    const { writer, isPaused, isUnread, isSilent } = this.#options;
    if (isPaused()) return 'saved';
    if (this.#isClosed || !this.#isReadable || isUnread()) return 'closed';
    if (isAgentError(this.#failure, 'session-conflict')) return 'conflict';
    // Only the repeats of a failed write ask a store again that has not answered: others would wait for it in turn.
    if (isSilent() && !isDue) return 'failed';
    try {
      await writer.write(() => this.#begin());
      this.#failure = null;
      this.clock.noteSuccess();
      if (this.#isWriting) this.#show('saved');
      return 'saved';
    } catch (thrown) {
      this.#failure = thrown;
      this.#show('degraded', errorInfo(thrown));
      if (isAgentError(thrown, 'session-conflict')) return 'conflict';
      if (!this.#isClosed) this.clock.retry();
      return 'failed';
    } finally {
      this.#isWriting = false;
    }
  }

  #begin(): void {
    this.clock.began();
    this.#isWriting = true;
    this.#options.onWrite();
    if (this.#shown.status !== 'degraded') this.#show('saving');
  }

  async #read(reading: () => Promise<SessionLoad | null>): Promise<SessionRecord | null> {
    const { env, writer, reread } = this.#options;
    const number = ++this.#reads;
    this.#rereads.stop();
    // Among overlapping reads only the last one counts.
    const isLast = (): boolean => number === this.#reads;
    const cancel = env.schedule(storeLimitMs, () => {
      if (isLast()) this.#showRead('unknown', errorInfo(slow()));
    });
    try {
      const record = await writer.read(reading()).finally(cancel);
      this.#isReadable = true;
      if (isLast()) this.#showRead(record === null ? 'idle' : 'saved');
      return record;
    } catch (thrown) {
      if (isLast()) this.#showRead('degraded', errorInfo(thrown));
      // A failed repeated read does not mean that the session is gone.
      if (this.#isReadable) throw thrown;
      // Without any storage nothing can be overwritten, so the session continues in memory.
      this.#isReadable = isAgentError(thrown, 'session-storage');
      if (!this.#isReadable) throw thrown;
      this.#rereads.begin(reread, (record) => this.#onLate(record));
      return null;
    }
  }

  /** The session continued in memory; its next write checks the stored session itself. */
  #onLate(record: SessionRecord | null): void {
    if (this.#options.writer.latest !== null) return;
    if (record === null) this.#showRead('idle');
    else this.#options.onLate();
  }
}

/** Repeats a read until it succeeds: after 1, 2, 4 … 30 s. */
class Rereads {
  readonly #env: Env;
  #cancel = (): void => undefined;
  /** The number of the series under way. */
  #series = 0;

  constructor(env: Env) {
    this.#env = env;
  }

  begin(read: () => Promise<SessionRecord | null>, onAnswer: (record: SessionRecord | null) => void): void {
    this.stop();
    const own = this.#series;
    const again = (ms: number): void => {
      this.#cancel = this.#env.schedule(ms, () => {
        read().then(
          (record) => own !== this.#series || onAnswer(record),
          () => own !== this.#series || again(Math.min(retryMs.longest, ms * 2)),
        );
      });
    };
    again(retryMs.first);
  }

  stop(): void {
    this.#series++;
    this.#cancel();
  }
}

/** A store that answers each operation of a writer within its time limit. */
export type AnsweringStore = {
  readonly store: SessionStore;
  /** True while an operation has no answer behind its time limit. Its outcome is not known. */
  readonly isSilent: () => boolean;
};

/** The most operations that wait for an answer behind their time limit; beyond it the store is asked no more. */
const mostUnanswered = 8;

/** Gives the operations of a writer a time limit. */
export function answeringStore(sessions: SessionStore, env: Env): AnsweringStore {
  const unanswered = new Set<Promise<unknown>>();

  const limitUnanswered =
    <Args extends readonly unknown[], Value>(operation: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      if (unanswered.size >= mostUnanswered) throw slow();
      const asked = operation(...args);
      const known = asked.catch(() => undefined).finally(() => unanswered.delete(known));
      return awaitStore(env, asked, () => void unanswered.add(known));
    };

  const store: SessionStore = {
    ...sessions,
    load: limitUnanswered((id) => sessions.load(id)),
    save: limitUnanswered((...written) => sessions.save(...written)),
    takeEpoch: limitUnanswered((...taken) => sessions.takeEpoch(...taken)),
    append: limitUnanswered((...written) => sessions.append(...written)),
  };
  return { store, isSilent: () => unanswered.size > 0 };
}

/** Waits for the answer of a store. @throws AgentError `session-storage` when it has not come within 10 s */
export function awaitStore<Value>(
  { schedule }: Env,
  asked: Promise<Value>,
  onSlow: () => void = () => undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = schedule(storeLimitMs, () => {
      onSlow();
      reject(slow());
    });
    void asked.then(resolve, reject).finally(cancel);
  });
}

/** The error of a store that does not answer. */
function slow(): AgentError {
  const message =
    `The store of this session has not answered for ${storeLimitMs / 1000} s. The session keeps waiting. ` +
    'Check that no other tab of this page hangs and that the device is online.';
  return new AgentError('session-storage', message, { data: { retryable: true } });
}
