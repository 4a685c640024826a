import {
  eventsOf,
  type JournalRecord,
  recordAt,
  type RecordedRun,
  recordOfRun,
  runsOf,
} from '@vitrine/core/inspect';

/** What of a record is looked at. */
export type Place =
  | { readonly kind: 'live' }
  /** After the event of a number; `seen` is that of the last one there was when one left what is live. */
  | { readonly kind: 'moment'; readonly number: number; readonly seen: number }
  /** A run of which no event is left. */
  | { readonly kind: 'run'; readonly executionId: string };

/** The end of the record, whatever comes. */
export const live: Place = { kind: 'live' };

/** The numbers of the first and the last event; the first less one is the moment before everything. */
export function numbersOf(record: JournalRecord): { readonly before: number; readonly last: number } {
  const events = eventsOf(record);
  const before = (events[0]?.number ?? 1) - 1;
  return { before, last: before + events.length };
}

/** The moment after the event of a number; the last one is what is live. */
export function momentOf(record: JournalRecord, number: number): Place {
  const { before, last } = numbersOf(record);
  return number >= last ? live : { kind: 'moment', number: Math.max(before, number), seen: last };
}

/** The end of a run. */
export function placeOfRun(record: JournalRecord, run: RecordedRun): Place {
  const { executionId, first, last } = run;
  if (isWithoutEvents(run) || last < first) return { kind: 'run', executionId };
  return momentOf(record, numbersOf(record).before + 1 + last);
}

/** The index of the event that is looked at last, -1 before the first; what had to make room is no longer there. */
export function indexAt(record: JournalRecord, place: Place): number {
  const { before, last } = numbersOf(record);
  const number = place.kind === 'moment' ? place.number : last;
  return Math.max(before, Math.min(last, number)) - before - 1;
}

/** The record as it was at the place. */
export function recordAtPlace(record: JournalRecord, place: Place): JournalRecord {
  if (place.kind === 'moment') return recordAt(record, indexAt(record, place));
  const run = runAt(record, place);
  return place.kind === 'run' && run !== undefined ? recordOfRun(record, run) : record;
}

/** The run that is looked at. */
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
