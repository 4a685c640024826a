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

/** What became of a write; `conflict`: the session was changed elsewhere. */
export type SaveOutcome = 'saved' | 'failed' | 'conflict';

/** One thing after the other is done with the store; what fails is done again. */
export type SaveQueue = {
  readonly read: (reading: () => Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
  /** Writes what there is to write. Never rejects. */
  readonly flush: () => Promise<SaveOutcome>;
  /** What the last write failed with. */
  readonly failure: () => unknown;
  /** What was read is what the session goes on from: a conflict is over. */
  readonly goOn: () => void;
  /** The page is about to go away. */
  readonly leave: () => void;
  readonly isBusy: () => boolean;
  /** What could not be stored went to a session of its own. */
  readonly forked: (sessionId: string) => void;
  readonly persistence: () => PersistenceState;
  /** Writes nothing any more, until what is stored is read again. */
  readonly close: () => void;
  readonly clock: SaveClock;
};

type SaveQueueOptions = {
  readonly writer: Writer | null;
  readonly env: Env;
  /** What would be written is a failure that is not stored yet. */
  readonly isFailing: () => boolean;
  /** Another tab writes: nothing is written here. */
  readonly isPaused: () => boolean;
  /** How it is kept before anything was read or written; a store may only know later how durable it is. */
  readonly first: () => PersistenceState;
  readonly onChange: () => void;
  readonly onConflict: () => void;
};

export function createSaveQueue(options: SaveQueueOptions): SaveQueue {
  const { writer, env, isFailing, isPaused, first, onChange, onConflict } = options;
  const { persistence, show, forked } = createShownPersistence(first, onChange);
  const leaving = createPageLeaving(env, isFailing);
  const reader = createStoredReader(writer, showRead);
  const clock = createSaveClock(env, () => void flush());
  let [isClosed, isWriting] = [false, false];
  let failure: unknown = null;
  let end: Promise<unknown> = Promise.resolve();

  /** What was changed elsewhere and was read stays unsaved here until the session goes on from it. */
  function showRead(status: PersistenceState['status'], error?: ErrorInfo): void {
    if (status === 'degraded' || !isAgentError(failure, 'session-conflict')) show(status, error);
  }

  function begin(): void {
    clock.began();
    isWriting = true;
    if (persistence().status !== 'degraded') show('saving');
  }

  async function write(): Promise<SaveOutcome> {
    if (writer === null || isClosed || isPaused() || !reader.isReadable()) return 'saved';
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

  function flush(): Promise<SaveOutcome> {
    clock.stop();
    if (writer === null) return Promise.resolve('saved');
    const written = end.then(leaving.stays).then(write);
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
    persistence,
    close() {
      isClosed = true;
      clock.stop();
    },
  };
}
