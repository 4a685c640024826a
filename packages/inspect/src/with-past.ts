import type { AgentState } from '@vitrine/core/internal/graph/types';
import { apply, fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { StoredPast } from '@vitrine/core/internal/session/store/session-store';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import type { JournalRecord, RecordedPage } from './journal-record.ts';

/** The log with the stored time before it began. Events between the store and the log count as missed. */
export function withPast(
  log: Pick<JournalLog, 'read'>,
  { runs, journal }: StoredPast,
  limits: Partial<RecordLimits>,
): JournalLog {
  const record = log.read();
  const [first] = record.pages as [RecordedPage];
  const { base: begun, journalId: begunJournal } = first;
  // Events that were dropped already are not restored.
  const isBehind =
    begunJournal === journal.id && record.dropped.events === 0 && journal.base.seq <= begun.seq;
  const base = isBehind ? journal.base : begun;
  const events = isBehind ? eventsUntil(begun, journal.events) : [];
  const stored = fold(base, events);
  const isWhole = hasSeenAllOf(stored, begun);
  const missed = record.missed - (stored.seq - base.seq);
  const { dropped } = record;
  const next = createJournalLog(begunJournal, base, { ...limits, missed, dropped, stored: runs });
  let state = base;
  for (const event of events) {
    state = apply(state, event);
    next.add(event, isWhole && event === events.at(-1) ? begun : state);
  }
  if (!isWhole) next.goOn(begunJournal, begun);
  addRecord(next, record);
  return next;
}

/** The record of a session that is read from a store. */
export function recordOfPast({ runs, journal: { id, base, events } }: StoredPast): JournalRecord {
  const log = createJournalLog(id, base, { stored: runs });
  let state = base;
  for (const event of events) log.add(event, (state = apply(state, event)));
  return log.read();
}

/** True when a state contains every event of another one, for each running agent by its own counter. */
function hasSeenAllOf(state: AgentState, other: AgentState): boolean {
  const calls = other.execution?.currentStep?.toolExecutions ?? [];
  return (
    state.seq === other.seq &&
    calls.every(({ id, childState }) => {
      const child = stateAtPath(state, [id]);
      return childState === null || (child !== null && hasSeenAllOf(child, childState));
    })
  );
}

/** The stored events that a state contains, up to the first that one of its agents has not seen. */
function eventsUntil(begun: AgentState, events: readonly AgentChange[]): readonly AgentChange[] {
  const end = events.findIndex(({ path, seq }) => seq > (stateAtPath(begun, path)?.seq ?? Infinity));
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
