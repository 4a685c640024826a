import type { Env } from '../../graph/env.ts';
import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createPatientReads } from './patient-reads.ts';
import type { Writer } from './writer.ts';

/** Reads the stored session. Writes are allowed only after a successful read. */
export type StoredReader = {
  readonly isReadable: () => boolean;
  readonly read: (reading: () => Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
  /** Stops repeating reads. */
  readonly stop: () => void;
};

export function createStoredReader(options: {
  readonly writer: Writer | null;
  readonly env: Env;
  readonly show: (status: PersistenceState['status'], error?: ErrorInfo) => void;
  /** Another read, for a store that could not answer the first one. */
  readonly readAgain: () => Promise<SessionRecord | null>;
  /**
   * Called when a repeated read finds a session after the first read failed, and nothing was written since.
   */
  readonly onLate: () => void;
}): StoredReader {
  const { writer, env, show, readAgain, onLate } = options;
  const { wait, retry, stop } = createPatientReads(env);
  let isReadable = false;
  let reads = 0;

  /** The session continued in memory; its next write checks the stored session itself. */
  function onAnswer(record: SessionRecord | null): void {
    if (writer === null || writer.stored() !== null) return;
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
        const record =
          writer === null
            ? null
            : await wait(writer.read(reading()), (error) => isLast() && show('unknown', error));
        isReadable = true;
        if (writer !== null && isLast()) show(record === null ? 'idle' : 'saved');
        return record;
      } catch (thrown) {
        if (isLast()) show('degraded', errorInfo(thrown));
        // A failed repeated read does not mean that the session is gone.
        if (isReadable) throw thrown;
        // Without any storage nothing can be overwritten, so the session continues in memory.
        isReadable = isAgentError(thrown, 'session-storage');
        if (!isReadable) throw thrown;
        retry(readAgain, onAnswer);
        return null;
      }
    },
  };
}
