import type { Env } from '../../graph/env.ts';
import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createPageLeaving } from './page-leaving.ts';
import { createStoredReader } from './stored-reader.ts';
import { createSaveClock, type SaveClock } from './save-clock.ts';
import { createShownPersistence } from './shown-persistence.ts';
import type { Writer } from './writer.ts';

/** The outcome of a write: in `conflict` another writer has the session, in `closed` writes are stopped. */
export type SaveOutcome = 'saved' | 'failed' | 'conflict' | 'closed';

/** Runs reads and writes of one session one after the other, and repeats those that fail. */
export type SaveQueue = {
  readonly read: (reading: () => Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
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
  readonly forked: (sessionId: string) => void;
  readonly persistence: () => PersistenceState;
  /** Stops all writes until the stored session is read again. */
  readonly close: () => void;
  readonly clock: SaveClock;
};

type SaveQueueOptions = {
  readonly writer: Writer | null;
  readonly env: Env;
  /** True when the next write would store a new failure. */
  readonly isFailing: () => boolean;
  /** True while another tab writes. */
  readonly isPaused: () => boolean;
  /** True while the stored session could not be read, also when an earlier read succeeded. */
  readonly isUnread: () => boolean;
  /** The persistence before anything was read or written. A store may learn only later how durable it is. */
  readonly first: () => PersistenceState;
  readonly readAgain: () => Promise<SessionRecord | null>;
  readonly onLate: () => void;
  readonly onChange: () => void;
  readonly onConflict: () => void;
};

export function createSaveQueue(options: SaveQueueOptions): SaveQueue {
  const { writer, env, isFailing, isPaused, isUnread, first, readAgain, onLate, onChange, onConflict } =
    options;
  const { persistence, show, forked } = createShownPersistence(first, onChange);
  const leaving = createPageLeaving(env, isFailing);
  const reader = createStoredReader({ writer, env, show: showRead, readAgain, onLate });
  const clock = createSaveClock(env, () => void flush());
  let [isClosed, isWriting, flushes] = [false, false, 0];
  let failure: unknown = null;
  let end: Promise<unknown> = Promise.resolve();

  /** Shows the result of a read. A conflict stays shown until the session continues. */
  function showRead(status: PersistenceState['status'], error?: ErrorInfo): void {
    if (!isAgentError(failure, 'session-conflict')) show(status, error);
  }

  function begin(): void {
    clock.began();
    isWriting = true;
    if (persistence().status !== 'degraded') show('saving');
  }

  async function write(): Promise<SaveOutcome> {
    if (writer === null || isPaused()) return 'saved';
    if (isClosed || !reader.isReadable() || isUnread()) return 'closed';
    if (isAgentError(failure, 'session-conflict')) return 'conflict';
    try {
      await writer.write(begin);
      failure = null;
      clock.succeeded();
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

  const flushed = (): void => void flushes--;

  function flush(): Promise<SaveOutcome> {
    clock.stop();
    if (writer === null) return Promise.resolve('saved');
    flushes++;
    const written = end.then(leaving.stays).then(write).finally(flushed);
    void (end = written).then((outcome) => outcome === 'conflict' && onConflict());
    return written;
  }

  return {
    flush,
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
    forked,
    isBusy: () => isWriting || isClosed,
    isSettled: () =>
      writer === null || isClosed || isPaused() || (!clock.isSet() && flushes === 0 && failure === null),
    persistence,
    close() {
      isClosed = true;
      clock.stop();
      reader.stop();
    },
  };
}
