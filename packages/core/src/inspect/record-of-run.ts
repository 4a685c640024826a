import type { AgentState } from '../graph/types.ts';
import { eventsOf, type JournalRecord } from './journal-record.ts';
import { recordAt } from './record-at.ts';
import type { RecordedRun } from './runs-of.ts';
import { stateBefore } from './state-at.ts';

/**
 * The record as it was at the end of a run: its `state` is that in which the run ended. Of a run that only the store or
 * the messages tell of there are no events in it; its `state` is today's, with the stored run in the place of the last,
 * or with none where only the messages tell of it.
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
  // Nothing happened in it any more: it is as it stood when its journal began.
  return withoutEvents(record, stateBefore(record, first));
}

function withoutEvents(record: JournalRecord, state: AgentState): JournalRecord {
  return { ...record, state, pages: [{ journalId: '', base: state, events: [] }] };
}
