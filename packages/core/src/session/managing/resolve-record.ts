import { liveRecord } from '../stores/live-record.ts';
import type { SessionRecord } from '../stores/session-store.ts';

/**
 * Returns the session with its tail folded into state and checkpoints, for reading. Writes need the record
 * that `load` returned.
 */
export function resolveRecord(record: SessionRecord): SessionRecord {
  if (record.journal.tail.length === 0) return record;
  const { state, checkpoints } = liveRecord(record);
  return { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
}
