import { liveRecord } from '../stores/live-record.ts';
import type { SessionRecord } from '../stores/session-store.ts';

/** The session with its tail folded into state and checkpoints: to be read. Writes go on from what `load` gave. */
export function liveSession(record: SessionRecord): SessionRecord {
  if (record.journal.tail.length === 0) return record;
  const { state, checkpoints } = liveRecord(record);
  return { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
}
