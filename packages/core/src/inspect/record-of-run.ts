import type { AgentState } from '../graph/types.ts';
import { eventsOf, type JournalRecord } from './journal-record.ts';
import { recordAt } from './record-at.ts';
import type { RecordedRun } from './runs-of.ts';
import { stateBefore } from './state-at.ts';

/**
 * The record at the end of a run; its `state` is the state in which the run ended. A run that only the store or the
 * messages know has no events. Its `state` is the current one with the stored run as its execution, or without an
 * execution when only messages are left.
 */
export function recordOfRun(record: JournalRecord, run: RecordedRun): JournalRecord {
  const { known, executionId, first, last } = run;
  if (known === 'stored' || known === 'messages') {
    const execution = record.stored.find((kept) => kept.executionId === executionId) ?? null;
    return withoutEvents(record, { ...record.state, execution, executionCount: run.number });
  }
  const isToday = last === eventsOf(record).length - 1 && record.state.execution?.executionId === executionId;
  if (isToday) return record;
  if (last >= first) return recordAt(record, last);
  // The run had no further events: it is as its journal began.
  return withoutEvents(record, stateBefore(record, first));
}

function withoutEvents(record: JournalRecord, state: AgentState): JournalRecord {
  return { ...record, state, pages: [{ journalId: '', base: state, events: [] }] };
}
