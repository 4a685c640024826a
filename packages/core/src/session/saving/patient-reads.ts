import type { Env } from '../../graph/env.ts';
import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { readLimitMs } from '../read-limit.ts';
import type { SessionRecord } from '../stores/session-store.ts';

const firstRetryMs = 1000;
const lastRetryMs = 30_000;

/** Reads of a store that may answer late or fail for some time. */
export type PatientReads = {
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

export function createPatientReads({ schedule }: Env): PatientReads {
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
