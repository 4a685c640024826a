import type { AgentState } from '../graph/types.ts';
import { apply } from '../run/apply.ts';
import type { JournalRecord, RecordedPage } from './journal-record.ts';

/** A cache of one page, because a reader of a record stays on one page for a while. */
let lastPage: { readonly page: RecordedPage; readonly states: AgentState[] } | null = null;

/**
 * The state after the event at an index of `eventsOf(record)`; -1 is the state before the first, and the last index is
 * the live state itself. Branches that no event touched are shared.
 */
export function stateAt(record: JournalRecord, index: number): AgentState {
  let at = Math.max(-1, index);
  for (const page of record.pages) {
    const isLast = page === record.pages.at(-1);
    if (isLast && at >= page.events.length - 1) return record.state;
    if (at < page.events.length) return foldedTo(page, at);
    at -= page.events.length;
  }
  return record.state;
}

/** The state before the event at an index of `eventsOf(record)`, also at the start of a journal. */
export function stateBefore(record: JournalRecord, index: number): AgentState {
  let at = index;
  for (const page of record.pages) {
    if (at === 0 && (page.events.length > 0 || page === record.pages.at(-1))) return page.base;
    at -= page.events.length;
    if (at < 0) break;
  }
  return stateAt(record, index - 1);
}

function foldedTo(page: RecordedPage, at: number): AgentState {
  if (lastPage?.page !== page) lastPage = { page, states: [] };
  const { states } = lastPage;
  for (let next = states.length; next <= at; next++) {
    const entry = page.events[next];
    const before = states[next - 1] ?? page.base;
    states.push(entry ? apply(before, entry.event) : before);
  }
  return states[at] ?? page.base;
}
