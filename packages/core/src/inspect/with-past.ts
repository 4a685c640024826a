import { apply } from '../run/apply.ts';
import type { StoredPast } from '../session/hub.ts';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import type { JournalRecord } from './journal-record.ts';

/** The log with what a store keeps of the time before it began. */
export function withPast(
  log: Pick<JournalLog, 'read'>,
  { runs, journal }: StoredPast,
  limits: Partial<RecordLimits>,
): JournalLog {
  const record = log.read();
  const [first] = record.pages;
  const begun = first?.base ?? record.state;
  // What has had to make room already is not made up for.
  const isBehind = first?.journalId === journal.id && record.dropped.events === 0;
  const base = isBehind ? journal.base : begun;
  const missed = Math.max(0, record.missed - (begun.seq - base.seq));
  const next = createJournalLog(first?.journalId ?? '', base, { ...limits, missed, stored: runs });
  let state = base;
  for (const event of isBehind ? journal.events : []) {
    if (event.path.length === 0 && event.seq > begun.seq) break;
    state = apply(state, event);
    next.add(event, state);
  }
  addRecord(next, record);
  return next;
}

function addRecord(log: JournalLog, { pages, state: end }: JournalRecord): void {
  const last = pages.at(-1);
  let journal = pages[0]?.journalId;
  for (const page of pages) {
    if (page.journalId !== journal) log.goOn(page.journalId, page.base);
    journal = page.journalId;
    let state = page.base;
    for (const { event } of page.events) {
      state = apply(state, event);
      const isEnd = page === last && event === page.events.at(-1)?.event;
      log.add(event, isEnd ? end : state);
    }
  }
}
