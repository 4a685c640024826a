import type { Env } from '../../graph/env.ts';
import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import type { AgentState } from '../../graph/types.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import type { PersistenceState } from '../agent-session.ts';
import { runError } from '../run-error.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createSaveClock, type SaveClock } from './save-clock.ts';
import type { Writer } from './writer.ts';

/** A page that is not gone after so many milliseconds stays. */
const leaveMs = 1000;

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
  readonly persistence: () => PersistenceState;
  /** Writes nothing any more. */
  readonly close: () => void;
  readonly clock: SaveClock;
};

export function createSaveQueue(options: {
  readonly writer: Writer | null;
  readonly env: Env;
  readonly state: () => AgentState;
  readonly first: PersistenceState;
  readonly onChange: () => void;
}): SaveQueue {
  const { writer, env, state, onChange } = options;
  const clock = createSaveClock(env, () => void flush());
  let persistence = options.first;
  /** Nothing is written over what has not been read. */
  let isReadable = false;
  let [isClosed, isWriting, isLeaving] = [false, false, false];
  let failure: unknown = null;
  let end: Promise<unknown> = Promise.resolve();

  function show(status: PersistenceState['status'], error: ErrorInfo | null = null): void {
    persistence = { ...persistence, status, error };
    onChange();
  }

  function begin(): void {
    clock.began();
    isWriting = true;
    if (persistence.status !== 'degraded') show('saving');
  }

  async function write(): Promise<SaveOutcome> {
    if (writer === null || isClosed || !isReadable) return 'saved';
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

  /** A browser breaks off requests before it hides the page: a run that fails by it was interrupted. */
  async function stays(): Promise<void> {
    const stored = writer?.stored()?.state;
    if (!isLeaving || runError(state()) === null || (stored && runError(stored) !== null)) return;
    await new Promise<void>((resolve) => void env.schedule(leaveMs, resolve));
    isLeaving = false;
  }

  function flush(): Promise<SaveOutcome> {
    clock.stop();
    if (writer === null) return Promise.resolve('saved');
    const written = end.then(stays).then(write);
    end = written;
    return written;
  }

  async function read(reading: () => Promise<SessionRecord | null>): Promise<SessionRecord | null> {
    await end;
    try {
      const record = writer === null ? null : await writer.read(reading());
      isReadable = true;
      if (writer !== null) show(record === null ? 'idle' : 'saved');
      return record;
    } catch (thrown) {
      show('degraded', errorInfo(thrown));
      // What is read again stands in the store: that it does not answer says nothing of it.
      if (isReadable) throw thrown;
      // Where there is no storage at all, nothing can be overwritten: the session goes on in memory.
      isReadable = isAgentError(thrown, 'session-storage');
      if (isReadable) return null;
      throw thrown;
    }
  }

  return {
    flush,
    clock,
    read,
    failure: () => failure,
    goOn() {
      failure = null;
    },
    leave() {
      isLeaving = true;
      void flush();
    },
    isBusy: () => isWriting || isClosed,
    persistence: () => persistence,
    close() {
      isClosed = true;
      clock.stop();
    },
  };
}
