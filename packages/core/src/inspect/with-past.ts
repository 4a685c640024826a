import type { AgentState } from '../graph/types.ts';
import { apply, fold } from '../run/apply.ts';
import type { AgentChange } from '../run/events.ts';
import { stateAt } from '../run/state-at.ts';
import type { StoredPast } from '../session/hub.ts';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import type { JournalRecord } from './journal-record.ts';

/**
 * The log with what a store keeps of the time before it began. Where the store had not written as far, the record goes on
 * with a page on the state that it began with: what lies between counts as missed.
 */
export function withPast(
  log: Pick<JournalLog, 'read'>,
  { runs, journal }: StoredPast,
  limits: Partial<RecordLimits>,
): JournalLog {
  const record = log.read();
  const [first] = record.pages;
  const begun = first?.base ?? record.state;
  // What has had to make room already is not made up for.
  const isBehind =
    first?.journalId === journal.id && record.dropped.events === 0 && journal.base.seq <= begun.seq;
  const base = isBehind ? journal.base : begun;
  const events = isBehind ? eventsUntil(begun, journal.events) : [];
  const gap = begun.seq - fold(base, events).seq;
  const missed = record.missed - (begun.seq - base.seq) + gap;
  const { dropped } = record;
  const next = createJournalLog(first?.journalId ?? '', base, { ...limits, missed, dropped, stored: runs });
  let state = base;
  for (const event of events) {
    state = apply(state, event);
    next.add(event, gap === 0 && event === events.at(-1) ? begun : state);
  }
  if (gap > 0) next.goOn(journal.id, begun);
  addRecord(next, record);
  return next;
}

/** The stored events that a state tells of: the first that one of its agents has not seen ends them. */
function eventsUntil(begun: AgentState, events: readonly AgentChange[]): readonly AgentChange[] {
  const end = events.findIndex(({ path, seq }) => seq > (stateAt(begun, path)?.seq ?? Infinity));
  return end < 0 ? events : events.slice(0, end);
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
