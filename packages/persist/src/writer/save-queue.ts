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
import { createSaveClock, retryMs, type SaveClock } from './change-log.ts';

/** The outcome of a write: in `conflict` another writer has the session, in `closed` writes are stopped. */
export type SaveOutcome = 'saved' | 'failed' | 'conflict' | 'closed';

/** Runs reads and writes of one session one after the other, and repeats those that fail. */
export type SaveQueue = {
  readonly read: (reading: () => Promise<SessionLoad | null>) => Promise<SessionRecord | null>;
  /** Writes the pending changes. Never rejects. */
  readonly flush: () => Promise<SaveOutcome>;
  /** The error of the last write. */
  readonly failure: () => unknown;
  /** Ends a conflict: the session continues from the record that was read. */
  readonly goOn: () => void;
  /** Prepares for a page that is about to leave. */
  readonly leave: () => void;
  readonly isBusy: () => boolean;
  /** False while a write is due, active or failed. */
  readonly isSettled: () => boolean;
  /** Records the id of the session that holds changes which could not be stored. */
  readonly noteFork: (sessionId: string) => void;
  readonly persistence: () => PersistenceState;
  /** Stops all writes until the stored session is read again. */
  readonly close: () => void;
  readonly clock: SaveClock;
};

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
  /** The persistence before anything was read or written. A store may learn only later how durable it is. */
  readonly first: () => PersistenceState;
  readonly reread: () => Promise<SessionRecord | null>;
  readonly onLate: () => void;
  readonly onChange: () => void;
  readonly onWrite: () => void;
  readonly onConflict: () => void;
};

export function createSaveQueue(options: SaveQueueOptions): SaveQueue {
  const { writer, env, isFailing, isPaused, isUnread, first, onChange, onConflict } = options;
  const { persistence, show, noteFork } = createShownPersistence(first, onChange);
  const leaving = createPageLeaving(env, isFailing);
  const reader = createStoredReader({ ...options, show: showRead });
  const clock = createSaveClock(env, () => void flush(true));
  let [isClosed, isWriting, flushes] = [false, false, 0];
  let [failure, end]: [unknown, Promise<unknown>] = [null, Promise.resolve()];

  /** Shows the result of a read. A conflict stays shown until the session continues. */
  function showRead(status: PersistenceState['status'], error?: ErrorInfo): void {
    if (!isAgentError(failure, 'session-conflict')) show(status, error);
  }

  function begin(): void {
    clock.began();
    isWriting = true;
    options.onWrite();
    if (persistence().status !== 'degraded') show('saving');
  }

  async function write(isDue: boolean): Promise<SaveOutcome> {
    if (isPaused()) return 'saved';
    if (isClosed || !reader.isReadable() || isUnread()) return 'closed';
    if (isAgentError(failure, 'session-conflict')) return 'conflict';
    // Only the repeats of a failed write ask a store again that has not answered: others would wait for it in turn.
    if (options.isSilent() && !isDue) return 'failed';
    try {
      await writer.write(begin);
      failure = null;
      clock.noteSuccess();
      if (isWriting) show('saved');
      return 'saved';
    } catch (thrown) {
      failure = thrown;
      show('degraded', errorInfo(thrown));
      if (isAgentError(thrown, 'session-conflict')) return 'conflict';
      if (!isClosed) clock.retry();
      return 'failed';
    } finally {
      isWriting = false;
    }
  }

  function flush(isDue = false): Promise<SaveOutcome> {
    clock.stop();
    flushes++;
    const written = end.then(leaving.stays).then(() => write(isDue));
    void (end = written).then((outcome) => {
      flushes--;
      if (outcome === 'conflict') onConflict();
    });
    return written;
  }

  return {
    flush: () => flush(),
    clock,
    read: (reading) =>
      end.then(() => {
        isClosed = false;
        return reader.read(reading);
      }),
    failure: () => failure,
    goOn() {
      if (failure !== null) show('saved');
      failure = null;
    },
    leave: () => leaving.begin(flush),
    noteFork,
    isBusy: () => isWriting || isClosed,
    isSettled: () => isClosed || isPaused() || (!clock.isSet() && flushes === 0 && failure === null),
    persistence,
    close() {
      isClosed = true;
      clock.stop();
      reader.stop();
    },
  };
}

/** Writes what is pending. @throws the error of the store when it is not stored */
export async function untilStored(queue: SaveQueue): Promise<void> {
  if ((await queue.flush()) !== 'saved') throw queue.failure();
}

/** Writes what is due and resolves when that has ended; null while nothing is due, and for a store that fails. */
export function untilWritten(queue: SaveQueue): Promise<unknown> | null {
  return queue.isSettled() || queue.failure() !== null ? null : queue.flush();
}

/** A page that still exists after this time stays, in milliseconds. */
const leaveMs = 1000;

/**
 * Delays writes while a page is leaving. A browser cancels requests before it hides a page, so a failed run
 * was interrupted.
 */
type PageLeaving = {
  /** Notes that the page is about to leave, and writes now. */
  readonly begin: (write: () => unknown) => void;
  /**
   * Resolves when a write may begin: at once, or after a second for a failure that the leaving page may have
   * caused.
   */
  readonly stays: () => Promise<void>;
};

/** Creates the delay. `isFailing` is true while the next write would store a new failure. */
function createPageLeaving({ schedule }: Env, isFailing: () => boolean): PageLeaving {
  let isLeaving = false;
  return {
    begin(write) {
      isLeaving = true;
      write();
    },
    async stays() {
      if (!isLeaving || !isFailing()) return;
      await new Promise<void>((resolve) => void schedule(leaveMs, resolve));
      isLeaving = false;
    },
  };
}

/** The persistence of a session as it is shown. */
type ShownPersistence = {
  readonly persistence: () => PersistenceState;
  readonly show: (status: PersistenceState['status'], error?: ErrorInfo | null) => void;
  /** Records the id of the session that holds changes which could not be stored. */
  readonly noteFork: (sessionId: string) => void;
};

/**
 * Creates the shown persistence. `first` is called at every change, since a store may learn later how durable
 * it is.
 */
function createShownPersistence(first: () => PersistenceState, onChange: () => void): ShownPersistence {
  let shown = first();
  let fork: Pick<PersistenceState, 'forkedTo'> = {};
  return {
    persistence: () => shown,
    show(status, error = null) {
      shown = { ...first(), ...fork, status, error };
      onChange();
    },
    noteFork(forkedTo) {
      fork = { forkedTo };
      shown = { ...shown, ...fork };
      onChange();
    },
  };
}

/** Reads the stored session. Writes are allowed only after a successful read. */
type StoredReader = {
  readonly isReadable: () => boolean;
  readonly read: (reading: () => Promise<SessionLoad | null>) => Promise<SessionRecord | null>;
  /** Stops repeating reads. */
  readonly stop: () => void;
};

function createStoredReader(options: {
  readonly writer: Writer;
  readonly env: Env;
  readonly show: (status: PersistenceState['status'], error?: ErrorInfo) => void;
  /** Another read, for a store that could not answer the first one. */
  readonly reread: () => Promise<SessionRecord | null>;
  /**
   * Called when a repeated read finds a session after the first read failed, and nothing was written since.
   */
  readonly onLate: () => void;
}): StoredReader {
  const { writer, env, show, reread, onLate } = options;
  const { wait, retry, stop } = createPatientReads(env);
  let isReadable = false;
  let reads = 0;

  /** The session continued in memory; its next write checks the stored session itself. */
  function onAnswer(record: SessionRecord | null): void {
    if (writer.latest() !== null) return;
    if (record === null) show('idle');
    else onLate();
  }

  return {
    isReadable: () => isReadable,
    stop,
    async read(reading) {
      const number = ++reads;
      stop();
      // Among overlapping reads only the last one counts.
      const isLast = (): boolean => number === reads;
      try {
        const record = await wait(writer.read(reading()), (error) => isLast() && show('unknown', error));
        isReadable = true;
        if (isLast()) show(record === null ? 'idle' : 'saved');
        return record;
      } catch (thrown) {
        if (isLast()) show('degraded', errorInfo(thrown));
        // A failed repeated read does not mean that the session is gone.
        if (isReadable) throw thrown;
        // Without any storage nothing can be overwritten, so the session continues in memory.
        isReadable = isAgentError(thrown, 'session-storage');
        if (!isReadable) throw thrown;
        retry(reread, onAnswer);
        return null;
      }
    },
  };
}

/** Reads of a store that may answer late or fail for some time. */
type PatientReads = {
  /** Resolves with the answer, however late. `onSlow` is called once the time limit has passed. */
  readonly wait: <Answer>(reading: Promise<Answer>, onSlow: (error: ErrorInfo) => void) => Promise<Answer>;
  /** Repeats a read until it succeeds: after 1, 2, 4 … 30 s. */
  readonly retry: (
    read: () => Promise<SessionRecord | null>,
    onAnswer: (record: SessionRecord | null) => void,
  ) => void;
  /** Stops repeating reads. */
  readonly stop: () => void;
};

function createPatientReads({ schedule }: Env): PatientReads {
  let stop = (): void => undefined;

  return {
    async wait(reading, onSlow) {
      const cancel = schedule(storeLimitMs, () => onSlow(errorInfo(slow())));
      try {
        return await reading;
      } finally {
        cancel();
      }
    },
    retry(read, onAnswer) {
      stop();
      let isOver = false;
      let cancel = (): void => undefined;
      const again = (ms: number): void => {
        cancel = schedule(ms, () => {
          read().then(
            (record) => isOver || onAnswer(record),
            () => isOver || again(Math.min(retryMs.longest, ms * 2)),
          );
        });
      };
      stop = () => {
        isOver = true;
        cancel();
      };
      again(retryMs.first);
    },
    stop: () => stop(),
  };
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
    ...(sessions.append === undefined
      ? {}
      : { append: limitUnanswered((...written) => sessions.append!(...written)) }),
  };
  return { store, isSilent: () => unanswered.size > 0 };
}

/**
 * Waits for the answer of a store. @throws AgentError `session-storage` when it has not come within 10 s
 */
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
