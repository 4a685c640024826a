import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import type { Writer } from './writer.ts';

/** Reads what is stored; nothing is written over what has not been read. */
export type StoredReader = {
  readonly isReadable: () => boolean;
  readonly read: (reading: () => Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
};

export function createStoredReader(
  writer: Writer | null,
  show: (status: PersistenceState['status'], error?: ErrorInfo) => void,
): StoredReader {
  let isReadable = false;
  let reads = 0;
  return {
    isReadable: () => isReadable,
    async read(reading) {
      const number = ++reads;
      // Of reads that overtake each other the last is what the session goes on from.
      const isLast = (): boolean => number === reads;
      try {
        const record = writer === null ? null : await writer.read(reading());
        isReadable = true;
        if (writer !== null && isLast()) show(record === null ? 'idle' : 'saved');
        return record;
      } catch (thrown) {
        if (isLast()) show('degraded', errorInfo(thrown));
        // What is read again stands in the store: that it does not answer says nothing of it.
        if (isReadable) throw thrown;
        // Where there is no storage at all, nothing can be overwritten: the session goes on in memory.
        isReadable = isAgentError(thrown, 'session-storage');
        if (isReadable) return null;
        throw thrown;
      }
    },
  };
}
