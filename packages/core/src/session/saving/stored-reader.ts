import type { Env } from '../../graph/env.ts';
import { type ErrorInfo, of as errorInfo } from '../../graph/error-info.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import type { Writer } from './writer.ts';
import { readLimitMs } from '../read-limit.ts';

/** Reads the stored session. Writes are allowed only after a successful read. */
type StoredReader = {
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

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

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
      const cancel = schedule(readLimitMs, () => onSlow(errorInfo(slow())));
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
            () => isOver || again(Math.min(lastRetryMs, ms * 2)),
          );
        });
      };
      stop = () => {
        isOver = true;
        cancel();
      };
      again(firstRetryMs);
    },
    stop: () => stop(),
  };
}

function slow(): AgentError {
  const message =
    `The store of this session has not answered for ${readLimitMs / 1000} s. The session keeps waiting. ` +
    'Check that no other tab of this page hangs and that the device is online.';
  return new AgentError('session-storage', message, { data: { retryable: true } });
}
