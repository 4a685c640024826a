import { eventsOf, type JournalRecord, type RecordedRun, runsOf } from '@vitrine/inspect';
import { recordAt } from '@vitrine/inspect/internal/journal-record';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';

/** The inspected place in a record. */
export type Place =
  | { readonly kind: 'live' }
  /** The state after an event; `seen` is the number of the last event when the person left the live view. */
  | { readonly kind: 'moment'; readonly number: number; readonly seen: number }
  /** A run without recorded events. */
  | { readonly kind: 'run'; readonly executionId: string };

export const live: Place = { kind: 'live' };

/** The number before the first event, and the number of the last event. */
export function numbersOf(record: JournalRecord): { readonly before: number; readonly last: number } {
  const events = eventsOf(record);
  const before = (events[0]?.number ?? 1) - 1;
  return { before, last: before + events.length };
}

/** The place after an event; the last event gives the live place. */
export function momentOf(record: JournalRecord, number: number): Place {
  const { before, last } = numbersOf(record);
  return number >= last ? live : { kind: 'moment', number: Math.max(before, number), seen: last };
}

export function placeOfRun(record: JournalRecord, run: RecordedRun): Place {
  const { executionId, first, last } = run;
  if (isWithoutEvents(run) || last < first) return { kind: 'run', executionId };
  return momentOf(record, numbersOf(record).before + 1 + last);
}

/**
 * The index of the last event of a place, -1 before the first one. Events that were dropped from the record
 * do not count.
 */
export function indexAt(record: JournalRecord, place: Place): number {
  const { before, last } = numbersOf(record);
  const number = place.kind === 'moment' ? place.number : last;
  return Math.max(before, Math.min(last, number)) - before - 1;
}

export function recordAtPlace(record: JournalRecord, place: Place): JournalRecord {
  if (place.kind === 'moment') return recordAt(record, indexAt(record, place));
  const run = runAt(record, place);
  return place.kind === 'run' && run !== undefined ? recordOfRun(record, run) : record;
}

export function runAt(record: JournalRecord, place: Place): RecordedRun | undefined {
  const runs = runsOf(record);
  if (place.kind === 'run') return runs.find(({ executionId }) => executionId === place.executionId);
  if (place.kind === 'live') return runs.at(-1);
  const recorded = runs.filter((run) => !isWithoutEvents(run));
  return recorded.findLast(({ first }) => first <= indexAt(record, place)) ?? recorded[0];
}

function isWithoutEvents({ known }: RecordedRun): boolean {
  return known === 'messages' || known === 'stored';
}
